/**
 * Characters that are never shown: control and format characters (bidirectional marks, tags), private and unassigned
 * code points, lone surrogates, and everything invisible, in which text can be hidden from readers.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu

/** Combining marks after the third of a letter: piled up, they cover the lines around. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu

/**
 * Returns foreign text (from the chain, a server or a node) as one line that may be shown to a model. Put it in
 * quotes: its content is still arbitrary.
 * @param limit maximum number of characters
 */
export function plainText(text: string, limit: number): string {
  const line = text
    .slice(0, 8 * limit)
    .replace(/[\s\u2028\u2029]+/gu, ' ')
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(STACKED_MARKS, '$1')
    .trim()
  const characters = Array.from(line)
  if (characters.length <= limit) return line
  return `${characters.slice(0, limit - 1).join('')}…`
}

/** Like `plainText`, for several lines. */
export function plainLines(text: string, limit: number): string {
  const lines = text.slice(0, 8 * limit).split(/\r\n|[\n\r\u2028\u2029]/u)
  const shown = lines.map((line) => line.replace(/\t/g, '  ').replace(INVISIBLE, '').trimEnd())
  const characters = Array.from(shown.join('\n').replace(STACKED_MARKS, '$1'))
  if (characters.length <= limit) return characters.join('')
  return `${characters.slice(0, limit - 1).join('')}…`
}
