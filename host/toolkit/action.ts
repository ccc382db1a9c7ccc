import type { z } from 'zod'
import type { ActionContext } from './action-context.ts'
import type { Need } from './capability.ts'

/** Result of an action: one or two sentences, and the same as data in the output's shape. */
export interface Outcome<O> {
  readonly text: string
  readonly data: O
}

/** Something that an agent can do. */
export interface Action<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  /** Lower case with underscores. */
  readonly name: string
  readonly title: string
  /** For choosing among actions: what it does, and what of it is irreversible. */
  readonly description: string
  readonly input: I
  readonly output: O
  /** In addition to those of its provider. */
  readonly needs?: readonly Need[]
  /** True if it changes nothing, on the chain or elsewhere. */
  readonly readOnly: boolean
  /** True if it moves or gives away something irrevocably. */
  readonly destructive: boolean
  /** @throws ActionError */
  invoke(
    args: z.output<I>,
    context: ActionContext,
    signal: AbortSignal,
  ): Promise<Outcome<z.input<O>>>
}

/** Actions of one kind, with their common needs. */
export interface ActionProvider {
  readonly name: string
  readonly needs: readonly Need[]
  readonly actions: readonly Action[]
}

/** Returns an action with the types of its shapes erased, as providers list it. */
export function defineAction<I extends z.ZodObject, O extends z.ZodObject>(
  action: Action<I, O>,
): Action {
  return action as unknown as Action
}
