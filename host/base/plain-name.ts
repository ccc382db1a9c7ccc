/**
 * Controls (including NUL), format characters (direction marks, tags), lone surrogates, private-use characters and
 * line separators. Joiners are allowed: some scripts and emoji need them.
 */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u

/** Returns what is wrong with a displayed name; undefined if it is valid. */
export function nameProblem(name: string): string | undefined {
  const found = UNSEEN.exec(name)
  if (found === null) return undefined
  const code = (found[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return (
    `the character U+${code} at position ${found.index} is invisible, or changes how others are shown: ` +
    'write the name without it'
  )
}
