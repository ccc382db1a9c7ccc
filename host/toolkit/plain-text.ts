/**
 * What is never shown: control characters, format characters (bidirectional marks, tags), private and unassigned code
 * points, halves of surrogate pairs, and all that fonts draw nothing for, in which text can be hidden from readers.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu

/** Marks above and below a letter beyond the first three: they are piled up to cover the lines around. */
const PILED = /(\p{M}{3})\p{M}+/gu

/**
 * A text that the chain, a server or a node supplies, as one line that may be put before a model: it can still say
 * anything, so it stands in quotes wherever it is shown.
 * @param limit characters at most
 */
export function plainText(text: string, limit: number): string {
  const line = text
    .slice(0, 8 * limit)
    .replace(/[\s\u2028\u2029]+/gu, ' ')
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(PILED, '$1')
    .trim()
  const characters = Array.from(line)
  if (characters.length <= limit) return line
  return `${characters.slice(0, limit - 1).join('')}…`
}

/** The same, of several lines. */
export function plainLines(text: string, limit: number): string {
  const lines = text.slice(0, 8 * limit).split(/\r\n|[\n\r\u2028\u2029]/u)
  const shown = lines.map((line) => line.replace(/\t/g, '  ').replace(INVISIBLE, '').trimEnd())
  const characters = Array.from(shown.join('\n').replace(PILED, '$1'))
  if (characters.length <= limit) return characters.join('')
  return `${characters.slice(0, limit - 1).join('')}…`
}
