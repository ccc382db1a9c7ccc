/** A serving thread lacks what a call needs: the chain's thread answers it. Thrown before anything has been done. */
export class Elsewhere extends Error {
  constructor() {
    super('the call is for the thread of the chain')
  }
}
