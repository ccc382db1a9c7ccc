/**
 * Characters that are invisible or change their neighbours: controls, format characters (including bidi marks), lone
 * surrogates, private and unassigned ones, line and paragraph separators, spaces other than the plain one, and all
 * that Unicode ignores in display.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

/** Visible joiners of emoji: a variation selector after one, a joiner between two. */
const EMOJI_GLUE =
  /(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu

/** Scripts with letters that look like Latin ones. */
const LOOKALIKE_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u

/** Letters of those scripts that look Latin (the common part of Unicode's confusables table). */
const LOOKALIKES: ReadonlySet<string> = new Set(
  'АВЕЅІЈКМНОРСТХаеѕіјорсухԁһӏԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧνοιυρՕօոսցᎪᎬᎻᎷᏀᏢᏚᏔ',
)

const LATIN = /\p{Script=Latin}/u
const ASCII = /^[\x20-\x7e]+$/
const WORD = /[\p{L}\p{N}\p{M}]+/gu
const MARKS = /(\p{M}{2})(\p{M}+)/gu

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  if (character === '\t') return '\\t'
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
}

/** Returns a word with its Latin lookalikes escaped. */
function escapeWord(word: string): string {
  const letters = [...word]
  const foreign = letters.filter((letter) => LOOKALIKE_SCRIPT.test(letter))
  const deceives = LATIN.test(word)
    ? foreign.length > 0
    : foreign.length > 0 && foreign.every((letter) => LOOKALIKES.has(letter))
  return letters
    .map((letter) => {
      if (deceives && LOOKALIKE_SCRIPT.test(letter)) return escapeCharacter(letter)
      // Full-width, mathematical and other variants of ASCII letters.
      if (!ASCII.test(letter) && ASCII.test(letter.normalize('NFKC'))) {
        return escapeCharacter(letter)
      }
      return letter
    })
    .join('')
}

/**
 * Escapes text from a chain for display: invisible characters, direction changes and lookalikes are written as
 * \u{...}, a backslash as two. Words in other scripts and emoji stay unchanged.
 */
export function safeText(text: string): string {
  if (ASCII.test(text) && !text.includes('\\')) return text
  const doubled = text.replaceAll('\\', '\\\\')
  const glue = new Set([...doubled.matchAll(EMOJI_GLUE)].map(({ index }) => index))
  return doubled
    .replace(UNSEEN, (character, at: number) =>
      glue.has(at) ? character : escapeCharacter(character),
    )
    .replace(
      MARKS,
      (_, kept: string, more: string) => kept + [...more].map(escapeCharacter).join(''),
    )
    .replace(WORD, (word) => (ASCII.test(word) ? word : escapeWord(word)))
}

/** Returns `safeText` in quotes, with inner quotes escaped. */
export function quoteText(text: string): string {
  return `"${safeText(text).replaceAll('"', '\\"')}"`
}
