// Package oniguruma matches the regular expressions of tokenizer.json files, as in the
// library Oniguruma (syntax "Oniguruma", UTF-8), as far as such files use them:
//
//   - characters, ".", escapes (\t \n \v \f \r \a \e \0 \x41 \x{1F600} \u0041), \d \s \w \h and their
//     complements, \R \N \O, all of Unicode;
//   - classes [...] with ranges, classes within them, intersections &&, and [:alpha:];
//   - properties \p{...}: general categories, scripts, and the names of POSIX;
//   - groups (...), (?:...), (?<name>...), (?>...), (?i:...), (?i), m for a dot that is any character;
//   - lookahead (?=...) (?!...), lookbehind (?<=...) (?<!...) of any length;
//   - quantifiers ? * + {n} {n,} {,m} {n,m}, lazy ?? *? +? {n,m}?, possessive ?+ *+ ++;
//   - anchors \b \B \A \z \Z, and ^ $, at lines.
//
// The rest, references to groups above all, is an error that names it. A match is the one that Oniguruma
// finds by trying alternatives in their order.
//
// Time is linear in the text, except for {n,m} of one character, which takes m steps at each place: what is known
// to fail, or to match, at a place is kept once trying has become expensive. All tells its caller of the
// steps that it makes, who ends it where there are too many; memory is bounded.
package oniguruma
