/** A request; `form` is what it is counted under. */
export interface Question {
  readonly form: string
  readonly method: string
  readonly params: readonly unknown[]
}
