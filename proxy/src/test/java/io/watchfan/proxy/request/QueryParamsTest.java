package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryParamsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1|1",
                "a|''",
                "a=|''",
                "a=x=y|x=y",
                "a=1&a=2|1",
                "&&a=1&|1",
                "&limit=500&a=1|1",
                "%61=1|1",
                "a=%3D%2c|=,",
                "a=x+y%2B|x y+",
                "a=%C3%A9%e2%82%ac%F0%9F%98%80|é€😀",
                "a=?/#|?/#",
                // A pair that cannot be read is as if it were not there.
                "a=%zz&a=2|2",
                "a=%&a=2|2",
                "a=%4&a=2|2",
                "a=1;b=2&a=3|3",
                "a%2=1&a=2|2",
                "%=1&a=2|2",
                "a=%１１&a=2|2",
            })
    void shouldReadTheFirstValueAsGoDoes(String query, String value) {
        QueryParams params = QueryParams.parse(query);

        assertThat(params.first("a")).isEqualTo(value);
        assertThat(params.has("a")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&", "&&&", "A=1", "b=a", "a;b", "a=1;2", "a=%f", "a%=1", "=a", "+a=1", "a+=1"})
    void shouldNotFindWhatIsNotThere(String query) {
        QueryParams params = QueryParams.parse(query);

        assertThat(params.first("a")).isNull();
        assertThat(params.has("a")).isFalse();
    }

    @Test
    void shouldTakeAnAbsentQueryForAnEmptyOne() {
        assertThat(QueryParams.parse(null).has("a")).isFalse();
    }

    @Test
    void shouldKeepTheEmptyName() {
        assertThat(QueryParams.parse("=1").first("")).isEqualTo("1");
    }

    @Test
    void shouldReadRawBytesAsUtf8() {
        assertThat(QueryParams.parse("\u00c3\u00a9=\u00e2\u0082\u00ac").first("é"))
                .isEqualTo("€");
    }

    @Test
    void shouldKeepBytesThatAreNotUtf8EachByItself() {
        String value = QueryParams.parse("a=x%ff%e2%82y%ed%a0%80%c0%80").first("a");

        assertThat(value).isEqualTo("x\udcff\udce2\udc82y\udced\udca0\udc80\udcc0\udc80");
        assertThat(GoText.quote(value)).isEqualTo("\"x\\xff\\xe2\\x82y\\xed\\xa0\\x80\\xc0\\x80\"");
        assertThat(GoText.utf8("\udcff\udce2\udc82")).containsExactly(0xff, 0xe2, 0x82);
    }

    @Test
    void shouldReadNothingOfAQueryWithTooManyPairs() {
        String most = "&".repeat(QueryParams.MAX_PAIRS - 4) + "a=1&b=2&c";

        assertThat(QueryParams.parse(most).first("a")).isEqualTo("1");
        assertThat(QueryParams.parse("&&" + most).has("a")).isFalse();
    }
}
