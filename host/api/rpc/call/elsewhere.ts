import { LockstepError } from '../../../base/error.ts'

/**
 * A serving thread lacks what a call needs, which is found before anything has been done: the chain's thread answers. A
 * call that has let others run by then is refused as one that may be made again.
 */
export class Elsewhere extends LockstepError {
  constructor() {
    super('SERVER_BUSY', 'this thread cannot read what the call needs: ask again')
  }
}
