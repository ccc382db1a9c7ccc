import type { Written } from '../../../browser/stepper.ts'

/** A word with a name, as one of the stack or of storage. */
export interface NamedWord {
  /** What keeps it apart from others, step after step. */
  readonly key: string
  /** Where it is: a place on the stack, a slot. */
  readonly place: string
  /** What it is, where that is known: an operand, a variable. */
  readonly name: string | undefined
  readonly value: bigint
  /** The value as what it is, where that is known: of a variable. */
  readonly meaning?: string | undefined
  /** What stands beside the value: the one before the transaction. */
  readonly aside?: string | undefined
  readonly isChanged: boolean
  /** The opcode is about to read or write it. */
  readonly isTouched: boolean
  readonly written: Written
}
