import type { z } from 'zod'
import type { ActionContext } from './action-context.ts'
import type { Need } from './capability.ts'

/** What came of an action: one or two sentences, and the same as data of its output's shape. */
export interface Outcome<O> {
  readonly text: string
  readonly data: O
}

/** Something that an agent can do. */
export interface Action<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  /** Lower case with underscores. */
  readonly name: string
  readonly title: string
  /** For who chooses among actions: what it does, and what of it cannot be undone. */
  readonly description: string
  readonly input: I
  readonly output: O
  /** Beside those of its provider. */
  readonly needs?: readonly Need[]
  /** Changes nothing, on the chain or elsewhere. */
  readonly readOnly: boolean
  /** Moves or gives away something that does not come back. */
  readonly destructive: boolean
  /** @throws ActionError */
  invoke(
    args: z.output<I>,
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<Outcome<z.input<O>>>
}

/** Actions of one kind, with what all of them need. */
export interface ActionProvider {
  readonly name: string
  readonly needs: readonly Need[]
  readonly actions: readonly Action[]
}

/** An action with the types of its shapes; the table takes it without them. */
export function defineAction<I extends z.ZodObject, O extends z.ZodObject>(
  action: Action<I, O>,
): Action {
  return action as unknown as Action
}
