package io.watchfan.fanout.selector;

/** From the text of a request's selectors to canonical selectors, as the API server understands them (W-150 to W-165). */
public final class SelectorParser {
    private SelectorParser() {}

    /**
     * Reads a label selector.
     *
     * @param text the decoded value of {@code labelSelector}; null and empty mean everything
     * @throws SelectorSyntaxException with the API server's message, when the text is no label selector
     */
    public static LabelSelector parseLabels(String text) throws SelectorSyntaxException {
        return text == null || text.isEmpty() ? LabelSelector.EVERYTHING : new LabelSelectorParser(text).parse();
    }

    /**
     * Reads a field selector.
     *
     * @param text the decoded value of {@code fieldSelector}; null and empty mean everything
     * @param fields what the kind supports
     * @throws SelectorSyntaxException with the API server's message, when the text is no field selector or has a label
     *     that the kind does not support
     */
    public static FieldSelector parseFields(String text, SelectableFields fields) throws SelectorSyntaxException {
        return text == null || text.isEmpty()
                ? FieldSelector.EVERYTHING
                : new FieldSelectorParser(text, fields).parse();
    }
}
