import type { ClaimKey } from '../../../host/payments/claim/claims.ts'
import { openClaims } from '../../../host/payments/claim/open-claims.ts'
import { type RemoteCall, replyTo } from '../remote-calls.ts'

// Runs the calls of a ClaimProcess on the claims of a folder.

const opened = openClaims(process.argv[2] as string).then((claims) =>
  Object.assign(claims, {
    open: () => {},
    deliverAndDie: (key: ClaimKey) => {
      void claims.delivered(key)
      process.kill(process.pid, 'SIGKILL')
    },
  }),
)

process.on('message', async (call: RemoteCall) => {
  const reply = await opened.then(
    (claims) => replyTo(claims, call),
    (error) => replyTo({ [call.method]: () => Promise.reject(error) }, call),
  )
  process.send?.(reply, () => {
    if (call.method === 'close') process.disconnect()
  })
})
