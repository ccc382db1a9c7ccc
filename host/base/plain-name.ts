/**
 * Controls (NUL among them), format characters (marks that turn the direction of text, tags that hide a text), halves
 * of surrogate pairs, private characters, separators of lines. Joiners are letters of some scripts and parts of emoji.
 */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u

/** What is wrong with a name that people read in lists, logs and pages; undefined if nothing is. */
export function nameProblem(name: string): string | undefined {
  const found = UNSEEN.exec(name)
  if (found === null) return undefined
  const code = (found[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return (
    `the character U+${code} at position ${found.index} is not shown, or changes how others are shown: ` +
    'write the name without it'
  )
}
