import { type PlainError, toPlainError } from '../../../host/base/plain-error.ts'
import type { ClaimKey, Claims } from '../../../host/payments/claim/claims.ts'
import { openClaims } from '../../../host/payments/claim/open-claims.ts'

/** A call of the claims in this process, over its channel to the test. */
export interface ClaimCall {
  readonly id: number
  readonly method: 'open' | 'deliverAndDie' | keyof Claims
  readonly args: unknown[]
}

export interface ClaimReply {
  readonly id: number
  readonly value?: unknown
  readonly error?: PlainError
}

const opened = openClaims(process.argv[2] as string)

async function run({ method, args }: ClaimCall): Promise<unknown> {
  const claims = await opened
  if (method === 'open') return undefined
  if (method === 'deliverAndDie') {
    void claims.delivered(args[0] as ClaimKey)
    process.kill(process.pid, 'SIGKILL')
    return undefined
  }
  const call = claims[method] as (...args: unknown[]) => Promise<unknown>
  return call.apply(claims, args)
}

process.on('message', async (call: ClaimCall) => {
  let reply: ClaimReply
  try {
    reply = { id: call.id, value: await run(call) }
  } catch (thrown) {
    reply = { id: call.id, error: toPlainError(thrown) }
  }
  process.send?.(reply, () => {
    if (call.method === 'close') process.disconnect()
  })
})
