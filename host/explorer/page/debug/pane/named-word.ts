import type { Written } from '../../../browser/step/stepper.ts'

/** A named word of the stack or of storage. */
export interface NamedWord {
  /** Identifies it across steps. */
  readonly key: string
  /** Its location: a stack position, a slot. */
  readonly place: string
  /** Its name, if known: an operand, a variable. */
  readonly name: string | undefined
  readonly value: bigint
  /** The decoded value, if known, as of a variable. */
  readonly meaning?: string | undefined
  /** Shown beside the value: the one before the transaction. */
  readonly aside?: string | undefined
  readonly isChanged: boolean
  /** The opcode is about to read or write it. */
  readonly isTouched: boolean
  readonly written: Written
}
