/** Panic(uint256) codes of Solidity (docs.soliditylang.org, "Panic via assert and Error via require"). */
const PANICS: ReadonlyMap<bigint, { readonly name: string; readonly cause: string }> = new Map([
  [
    0x00n,
    {
      name: 'generic compiler panic',
      cause: 'A generic panic inserted by the compiler.',
    },
  ],
  [
    0x01n,
    {
      name: 'assertion failed',
      cause: 'An assert(...) was false: the contract’s own invariant does not hold.',
    },
  ],
  [
    0x11n,
    {
      name: 'arithmetic overflow or underflow',
      cause:
        'A checked +, - or * left the range of its type. Usually something is subtracted from a smaller number, such as a balance or an allowance.',
    },
  ],
  [
    0x12n,
    {
      name: 'division or modulo by zero',
      cause: 'A divisor was zero: usually a supply, a price or a length that is not set yet.',
    },
  ],
  [
    0x21n,
    {
      name: 'value outside of an enum',
      cause: 'A number was converted to an enum that has no such member.',
    },
  ],
  [
    0x22n,
    {
      name: 'storage bytes with a wrong length',
      cause:
        'A bytes or string in storage is not encoded as in Solidity: usually a slot was overwritten by assembly, or by an upgrade with another storage layout.',
    },
  ],
  [0x31n, { name: 'pop() of an empty array', cause: 'The array had no elements left.' }],
  [
    0x32n,
    {
      name: 'index out of bounds',
      cause: 'An element at or past the length of an array, or of bytesN, was accessed.',
    },
  ],
  [
    0x41n,
    {
      name: 'too much memory',
      cause:
        'An array was created with a length that memory cannot hold: usually a length taken from wrong data.',
    },
  ],
  [
    0x51n,
    {
      name: 'call of a zero function pointer',
      cause: 'A variable of an internal function type was called before it was set.',
    },
  ],
])

export function panicCause(number: bigint): {
  readonly name: string
  readonly cause: string | undefined
} {
  return PANICS.get(number) ?? { name: `unknown panic 0x${number.toString(16)}`, cause: undefined }
}
