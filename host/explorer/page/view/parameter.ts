/** A part of the view's state, as written in its link. */
export interface ViewParameter<T> {
  /** Its value if the link does not contain it. */
  readonly fallback: T
  /** Returns undefined if the text is invalid: the link is then read as if it did not contain it. */
  parse(text: string): T | undefined
  format(value: T): string
}

/** A text of any length. */
export function viewText(fallback = ''): ViewParameter<string> {
  return { fallback, parse: (given) => given, format: (value) => value }
}

/** One of a few words; the first by default. */
export function oneOf<const Word extends string>(
  words: readonly [Word, ...Word[]],
): ViewParameter<Word> {
  return {
    fallback: words[0],
    parse: (given) => words.find((word) => word === given),
    format: (value) => value,
  }
}

/** A number from 0 to 2^53 - 1, or undefined. */
export function natural(): ViewParameter<number | undefined> {
  return { fallback: undefined, parse: parseNatural, format: (value) => value?.toString() ?? '' }
}

/** A boolean; false by default. */
export function flag(): ViewParameter<boolean> {
  return {
    fallback: false,
    parse: (given) => (given === '1' ? true : given === '0' ? false : undefined),
    format: (value) => (value ? '1' : '0'),
  }
}

/** Numbers separated by dots: `3.17.4`. */
export function naturals(): ViewParameter<readonly number[]> {
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
