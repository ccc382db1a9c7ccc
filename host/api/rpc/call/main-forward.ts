import { LockstepError } from '../../../base/error.ts'

/**
 * Thrown when an RPC worker lacks what a call needs, before the call has had any effect; the main thread then
 * answers. If the call has already yielded, the caller is asked to retry.
 */
export class ForwardToMain extends LockstepError {
  constructor() {
    super('SERVER_BUSY', 'this RPC worker cannot read what the call needs: try again')
  }
}
