package io.watchfan.fanout.selector;

import java.util.ArrayList;
import java.util.List;

/** Cuts the text of a label selector into tokens (W-150). Every text can be cut; what makes no sense is the parser's. */
final class LabelLexer {
    enum Kind {
        WORD,
        NOT,
        EQUALS,
        NOT_EQUALS,
        GREATER_THAN,
        LESS_THAN,
        OPEN,
        CLOSE,
        COMMA,
        END
    }

    /**
     * A piece of the text.
     *
     * @param text the piece; empty at the end
     * @param offset where it begins, in chars
     */
    record Token(Kind kind, String text, int offset) {}

    private final String text;
    private int position;

    private LabelLexer(String text) {
        this.text = text;
    }

    /** The tokens of a text; the last one, and only that, is the end. */
    static List<Token> tokens(String text) {
        LabelLexer lexer = new LabelLexer(text);
        List<Token> tokens = new ArrayList<>();
        Token token;
        do {
            token = lexer.next();
            tokens.add(token);
        } while (token.kind != Kind.END);
        return tokens;
    }

    private Token next() {
        while (isWhitespace(current())) {
            position++;
        }
        int start = position;
        Kind kind = kindAt(start);
        switch (kind) {
            case END -> {}
            case WORD -> skipWord();
            case EQUALS -> position += text.startsWith("==", start) ? 2 : 1;
            case NOT_EQUALS -> position += 2;
            default -> position++;
        }
        Token token = new Token(kind, text.substring(start, position), start);
        // To the API server the character NUL is the end of the text before a token, but nothing at all after one.
        if (position < text.length() && current() == 0) {
            position++;
        }
        return token;
    }

    private Kind kindAt(int start) {
        return switch (current()) {
            case 0 -> Kind.END;
            case '!' -> text.startsWith("!=", start) ? Kind.NOT_EQUALS : Kind.NOT;
            case '=' -> Kind.EQUALS;
            case '>' -> Kind.GREATER_THAN;
            case '<' -> Kind.LESS_THAN;
            case '(' -> Kind.OPEN;
            case ')' -> Kind.CLOSE;
            case ',' -> Kind.COMMA;
            default -> Kind.WORD;
        };
    }

    private void skipWord() {
        while (kindAt(position) == Kind.WORD && !isWhitespace(current())) {
            position++;
        }
    }

    /** The character at the position; NUL at the end. */
    private char current() {
        return position < text.length() ? text.charAt(position) : 0;
    }

    private static boolean isWhitespace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }
}
