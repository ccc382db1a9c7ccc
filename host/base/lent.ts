/**
 * Bytes on loan: they are overwritten once the lender is asked for more, or told that nothing more is
 * wanted. Whoever keeps them copies them.
 */
export interface Lent {
  readonly lent: Uint8Array
}
