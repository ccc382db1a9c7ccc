/**
 * Runs one query at a time. Of those that arrive meanwhile only the latest is kept, so a held key never builds up a
 * queue.
 */
export class LatestQuery<Question, Answer> {
  readonly #ask: (question: Question) => Promise<Answer>
  readonly #answered: (answer: Answer, question: Question) => void
  readonly #failed: (error: unknown, question: Question) => void
  #isAsking = false
  #next: { readonly question: Question } | undefined

  constructor(
    ask: (question: Question) => Promise<Answer>,
    answered: (answer: Answer, question: Question) => void,
    failed: (error: unknown, question: Question) => void,
  ) {
    this.#ask = ask
    this.#answered = answered
    this.#failed = failed
  }

  want(question: Question): void {
    this.#next = { question }
    if (!this.#isAsking) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isAsking = true
    while (this.#next !== undefined) {
      const { question } = this.#next
      this.#next = undefined
      try {
        this.#answered(await this.#ask(question), question)
      } catch (error) {
        this.#failed(error, question)
      }
    }
    this.#isAsking = false
  }
}
