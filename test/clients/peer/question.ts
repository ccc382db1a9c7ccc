/** A request. `form` is the name under which it is counted. */
export interface Question {
  readonly form: string
  readonly method: string
  readonly params: readonly unknown[]
}
