/** One part of the view's state, as the link of the view has it. */
export interface Parameter<T> {
  /** Its value in a link that does not name it. */
  readonly fallback: T
  /** Undefined where the text is no value: the link is then read as if it did not name it. */
  parse(text: string): T | undefined
  format(value: T): string
}

/** Text of any length. */
export function text(fallback = ''): Parameter<string> {
  return { fallback, parse: (given) => given, format: (value) => value }
}

/** One of a few words; the first where none is named. */
export function oneOf<const Word extends string>(
  words: readonly [Word, ...Word[]],
): Parameter<Word> {
  return {
    fallback: words[0],
    parse: (given) => words.find((word) => word === given),
    format: (value) => value,
  }
}

/** A number from 0 to 2^53 - 1, or none. */
export function natural(): Parameter<number | undefined> {
  return { fallback: undefined, parse: parseNatural, format: (value) => value?.toString() ?? '' }
}

/** Yes or no; no where it is not named. */
export function flag(): Parameter<boolean> {
  return {
    fallback: false,
    parse: (given) => (given === '1' ? true : given === '0' ? false : undefined),
    format: (value) => (value ? '1' : '0'),
  }
}

/** Numbers with dots between: `3.17.4`. */
export function naturals(): Parameter<readonly number[]> {
  return {
    fallback: [],
    parse: (given) => {
      if (given === '') return []
      const numbers = given.split('.').map(parseNatural)
      return numbers.every((number) => number !== undefined) ? numbers : undefined
    },
    format: (value) => value.join('.'),
  }
}

function parseNatural(given: string): number | undefined {
  if (!/^\d{1,16}$/.test(given)) return undefined
  const value = Number(given)
  return Number.isSafeInteger(value) ? value : undefined
}
