package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;

/** Escapes strings as the API server's encoder does: also angle brackets, ampersand and the two line separators. */
final class GoEscapes extends CharacterEscapes {
    private static final SerializedString LESS = new SerializedString("\\u003c");
    private static final SerializedString GREATER = new SerializedString("\\u003e");
    private static final SerializedString AMPERSAND = new SerializedString("\\u0026");
    private static final SerializedString LINE_SEPARATOR = new SerializedString("\\u2028");
    private static final SerializedString PARAGRAPH_SEPARATOR = new SerializedString("\\u2029");

    private final int[] ascii;

    GoEscapes() {
        ascii = standardAsciiEscapesForJSON();
        ascii['<'] = ESCAPE_CUSTOM;
        ascii['>'] = ESCAPE_CUSTOM;
        ascii['&'] = ESCAPE_CUSTOM;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
        return ascii.clone();
    }

    @Override
    public SerializableString getEscapeSequence(int character) {
        return switch (character) {
            case '<' -> LESS;
            case '>' -> GREATER;
            case '&' -> AMPERSAND;
            case 0x2028 -> LINE_SEPARATOR;
            case 0x2029 -> PARAGRAPH_SEPARATOR;
            default -> null;
        };
    }
}
