/* vector_math.h for one number, in Python: its floats are doubles, and it raises where a quotient or a root has no number. */
#include "expression/prelude.h"

static const char divide[] = "def memmodel_divide(a, b):\n"
                             "    if b != 0.0:\n"
                             "        return a / b\n"
                             "    if a == 0.0 or a != a:\n"
                             "        return math.nan\n"
                             "    return math.copysign(math.inf, a) * math.copysign(1.0, b)\n\n\n";

static const char maximum[] = "def memmodel_maximum(a, b):\n"
                              "    return a if a >= b or b != b else b\n\n\n";

static const char minimum[] = "def memmodel_minimum(a, b):\n"
                              "    return a if a <= b or b != b else b\n\n\n";

static const char at_least[] = "def memmodel_at_least(a, b):\n"
                               "    return b if a < b else a\n\n\n";

static const char at_most[] = "def memmodel_at_most(a, b):\n"
                              "    return b if a > b else a\n\n\n";

static const char whole[] = "def memmodel_floor(x):\n"
                            "    return math.copysign(math.floor(x), x) if abs(x) < 4503599627370496.0 else x\n\n\n";

static const char root[] = "def memmodel_root(x):\n"
                           "    return math.nan if x < 0.0 else math.sqrt(x)\n\n\n";

static const char terms[] = "def memmodel_polynomial(terms, x):\n"
                            "    total = terms[-1]\n"
                            "    for term in terms[-2::-1]:\n"
                            "        total = total * x + term\n"
                            "    return total\n\n\n";

static const char split[] = "def memmodel_split(x):\n"
                            "    fraction, exponent = math.frexp(x)\n"
                            "    if fraction < @ROOT_OF_HALF@:\n"
                            "        return 2.0 * fraction, exponent - 1.0\n"
                            "    return fraction, float(exponent)\n\n\n";

static const char product[] =
    "def memmodel_product(a, b):\n"
    "    product, a_scaled, b_scaled = a * b, a * 134217729.0, b * 134217729.0\n"
    "    a_high, b_high = a_scaled - (a_scaled - a), b_scaled - (b_scaled - b)\n"
    "    a_low, b_low = a - a_high, b - b_high\n"
    "    rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)\n"
    "    return product, rest\n\n\n";

static const char exponential[] = "def memmodel_exp(x, rest=0.0):\n"
                                  "    terms = (\n"
                                  "        @exp_terms@)\n"
                                  "    if x != x:\n"
                                  "        return x\n"
                                  "    if x < -746.0 or x > 710.0:\n"
                                  "        x, rest = (-746.0 if x < 0.0 else 710.0), 0.0\n"
                                  "    whole = (x * @LOG2_E@ + @WHOLE_SHIFT@) - @WHOLE_SHIFT@\n"
                                  "    r = x - whole * @LN2_HIGH@\n"
                                  "    rest = rest - whole * @LN2_LOW@\n"
                                  "    one = 1.0 + r\n"
                                  "    low = r - (one - 1.0)\n"
                                  "    r = r + rest\n"
                                  "    half = (whole * 0.5 + @WHOLE_SHIFT@) - @WHOLE_SHIFT@\n"
                                  "    value = one + (low + (rest + r * r * memmodel_polynomial(terms, r)))\n"
                                  "    return value * 2.0 ** half * 2.0 ** (whole - half)\n\n\n";

static const char logarithm[] = "def memmodel_log(x):\n"
                                "    terms = (\n"
                                "        @log_terms@)\n"
                                "    if not 0.0 < x < math.inf:\n"
                                "        return -math.inf if x == 0.0 else x if x > 0.0 else math.nan\n"
                                "    fraction, k = memmodel_split(x)\n"
                                "    f = fraction - 1.0\n"
                                "    s = f / (2.0 + f)\n"
                                "    z = s * s\n"
                                "    square = 0.5 * f * f\n"
                                "    tail = s * (square + z * memmodel_polynomial(terms, z)) + k * @LN2_LOW@\n"
                                "    high = k * @LN2_HIGH@ + f\n"
                                "    low = (k * @LN2_HIGH@ - high) + f\n"
                                "    return high + (low - (square - tail))\n\n\n";

static const char power[] = "def memmodel_log_in_two(x):\n"
                            "    terms = (\n"
                            "        @power_terms@)\n"
                            "    m, k = memmodel_split(x)\n"
                            "    f, d = m - 1.0, 1.0 + m\n"
                            "    d_low, s = m - (d - 1.0), f / d\n"
                            "    back, back_low = memmodel_product(s, d)\n"
                            "    s_low = (((f - back) - back_low) - s * d_low) / d\n"
                            "    z, z_low = memmodel_product(s, s)\n"
                            "    z_low = z_low + 2.0 * s * s_low\n"
                            "    t, t_low = memmodel_product(z, @TWO_THIRDS_HIGH@)\n"
                            "    t_low = t_low + (z * @TWO_THIRDS_LOW@ + z_low * @TWO_THIRDS_HIGH@)\n"
                            "    u = z * z * memmodel_polynomial(terms, z)\n"
                            "    high = t + u\n"
                            "    t_low = t_low + ((t - high) + u)\n"
                            "    u, u_low = memmodel_product(s, high)\n"
                            "    u_low = u_low + (s * t_low + s_low * high)\n"
                            "    high = 2.0 * s + u\n"
                            "    low = ((2.0 * s - high) + u) + (u_low + 2.0 * s_low)\n"
                            "    total = k * @LN2_HIGH@ + high\n"
                            "    low = low + (((k * @LN2_HIGH@ - total) + high) + k * @LN2_LOW@)\n"
                            "    high = total + low\n"
                            "    return high, (total - high) + low\n\n\n"
                            "def memmodel_power(x, y):\n"
                            "    magnitude = abs(x)\n"
                            "    whole = math.isinf(y) or y == y and math.floor(y) == y\n"
                            "    odd = whole and math.fmod(y, 2.0) != 0.0 if not math.isinf(y) else False\n"
                            "    if y == 0.0 or x == 1.0:\n"
                            "        return 1.0\n"
                            "    if x != x or y != y or (x < 0.0 and not whole and magnitude < math.inf):\n"
                            "        return math.nan\n"
                            "    if magnitude == 0.0 or magnitude == math.inf:\n"
                            "        size = 0.0 if (magnitude == 0.0) == (y > 0.0) else math.inf\n"
                            "        return math.copysign(size, x) if odd else size\n"
                            "    size = math.copysign(min(max(abs(y), 2.0**-70), 2.0**70), y)\n"
                            "    log_high, log_low = memmodel_log_in_two(magnitude)\n"
                            "    high, low = memmodel_product(size, log_high)\n"
                            "    size = memmodel_exp(high, low + size * log_low)\n"
                            "    return math.copysign(size, x) if odd else size\n\n\n";

static const char cube_root[] = "def memmodel_cube_root(x):\n"
                                "    terms = (\n"
                                "        @cube_root_terms@)\n"
                                "    if not 0.0 < x < math.inf:\n"
                                "        return x if x >= 0.0 else math.nan\n"
                                "    m, exponent = math.frexp(x)\n"
                                "    m, (third, rest) = 2.0 * m, divmod(exponent - 1, 3)\n"
                                "    y = memmodel_polynomial(terms, m)\n"
                                "    if rest > 0:\n"
                                "        y = y * (@CUBE_ROOT_OF_2@ if rest == 1 else @CUBE_ROOT_OF_4@)\n"
                                "        m = m * (2.0 if rest == 1 else 4.0)\n"
                                "    scaled = y * 134217729.0\n"
                                "    y = scaled - (scaled - y)\n"
                                "    quotient = m / (y * y)\n"
                                "    return (y + y * ((quotient - y) / (2.0 * y + quotient))) * 2.0**third\n\n\n";

static const char sine[] =
    "def memmodel_sine(x, quarters):\n"
    "    sine_terms = (\n"
    "        @sine_terms@)\n"
    "    cosine_terms = (\n"
    "        @cosine_terms@)\n"
    "    if not abs(x) <= 1073741824.0:\n"
    "        return math.nan\n"
    "    k = (x * @TWO_OVER_PI@ + @WHOLE_SHIFT@) - @WHOLE_SHIFT@\n"
    "    p, p_low = memmodel_product(k, @HALF_PI_HIGH@)\n"
    "    q, q_low = memmodel_product(k, @HALF_PI_MIDDLE@)\n"
    "    a, s = x - p, p_low + q\n"
    "    part = s - p_low\n"
    "    s_low = (p_low - (s - part)) + (q - part)\n"
    "    t = a - s\n"
    "    part = t - a\n"
    "    t_low = (a - (t - part)) - (s + part)\n"
    "    low = ((t_low - s_low) - q_low) - k * @HALF_PI_LOW@\n"
    "    r = t + low\n"
    "    rest, z = (t - r) + low, r * r\n"
    "    half = 0.5 * z\n"
    "    one, quarters = 1.0 - half, quarters + int(k)\n"
    "    if quarters & 1:\n"
    "        value = one + (((1.0 - one) - half) + (z * z * memmodel_polynomial(cosine_terms, z) - r * rest))\n"
    "    else:\n"
    "        value = r + (r * z * memmodel_polynomial(sine_terms, z) + rest * one)\n"
    "    return -value if quarters & 2 else value\n"
    "\n"
    "\n"
    "def memmodel_sin(x):\n"
    "    return x if abs(x) < @SMALL_ANGLE@ else memmodel_sine(x, 0)\n"
    "\n"
    "\n"
    "def memmodel_cos(x):\n"
    "    return memmodel_sine(x, 1)\n"
    "\n"
    "\n";

static const char hyperbolic_tangent[] =
    "def memmodel_tanh(x):\n"
    "    terms = (\n"
    "        @tanh_terms@)\n"
    "    size = abs(x)\n"
    "    z = size * size\n"
    "    if size < @TANH_SWITCH@:\n"
    "        return math.copysign(x + x * (z * memmodel_polynomial(terms, z)), x)\n"
    "    return math.copysign(1.0 - 2.0 / (memmodel_exp(2.0 * size) + 1.0), x)\n"
    "\n"
    "\n";

const char *const prelude_python[PRELUDE_COUNT] = {
    [PRELUDE_DIVIDE] = divide,   [PRELUDE_MAXIMUM] = maximum,
    [PRELUDE_MINIMUM] = minimum, [PRELUDE_AT_LEAST] = at_least,
    [PRELUDE_AT_MOST] = at_most, [PRELUDE_FLOOR] = whole,
    [PRELUDE_ROOT] = root,       [PRELUDE_TERMS] = terms,
    [PRELUDE_SPLIT] = split,     [PRELUDE_PRODUCT] = product,
    [PRELUDE_EXP] = exponential, [PRELUDE_LOG] = logarithm,
    [PRELUDE_POWER] = power,     [PRELUDE_CUBE_ROOT] = cube_root,
    [PRELUDE_SINE] = sine,       [PRELUDE_TANH] = hyperbolic_tangent,
};
