package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Int64Test {
    @ParameterizedTest
    @ValueSource(strings = {"", "-", "+", "--1", "+-1", " 1", "1 ", "1.0", "1e3", "0x1", "1_0", "٣", "1a", "a1"})
    void shouldRefuseWhatIsNoDecimalNumber(String text) {
        assertThat(Int64.isValid(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"9223372036854775808", "-9223372036854775809", "18446744073709551616", "92233720368547758070"})
    void shouldRefuseWhatIsOutOfRange(String text) {
        assertThat(Int64.isValid(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"9223372036854775807", "-9223372036854775808", "+0", "-0", "007", "-000000000000000000000001"})
    void shouldReadNumbersUpToTheLimits(String text) {
        assertThat(Int64.isValid(text)).isTrue();
        assertThat(Int64.parse(text)).isEqualTo(new BigInteger(text).longValueExact());
    }

    @Property
    void shouldAgreeWithArithmeticWithoutLimits(@ForAll("numbers") String text) {
        BigInteger exact = new BigInteger(text);

        assertThat(Int64.isValid(text)).isEqualTo(exact.bitLength() < Long.SIZE);
        if (Int64.isValid(text)) {
            assertThat(Int64.parse(text)).isEqualTo(exact.longValueExact());
        }
    }

    @Provide
    Arbitrary<String> numbers() {
        BigInteger limit = BigInteger.TWO.pow(Long.SIZE + 4);
        Arbitrary<BigInteger> nearLimits = Arbitraries.bigIntegers()
                .between(BigInteger.valueOf(-20), BigInteger.valueOf(20))
                .flatMap(d -> Arbitraries.of(BigInteger.valueOf(Long.MAX_VALUE), BigInteger.valueOf(Long.MIN_VALUE))
                        .map(d::add));
        return Arbitraries.oneOf(Arbitraries.bigIntegers().between(limit.negate(), limit), nearLimits)
                .map(BigInteger::toString);
    }
}
