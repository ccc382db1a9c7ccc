/**
 * What the source map says of each instruction, by pc. `line`: it belongs to a line that the user wrote. `wide`: its
 * source is a whole contract, as for dispatchers. Neither: the compiler generated it. `in` and `out`: a jump into an
 * internal function, or out of one.
 */
export const LINE_MARKS = { line: 1, wide: 2, in: 4, out: 8 } as const

/** Marks of a code by pc; 0 beyond its end. */
export type LineMarks = Uint8Array
