import type { ClaimKey, Claims } from '../../../host/payments/claim/claims.ts'
import { openClaims } from '../../../host/payments/claim/open-claims.ts'
import { openPostgresClaims } from '../../../host/payments/store/open-postgres-claims.ts'
import { type RemoteCall, replyTo } from '../remote-calls.ts'

// Runs the calls of a ClaimProcess on the claims of a folder, or of a database: its URL, # and an optional folder.

function open(place: string): Promise<Claims> {
  if (!place.startsWith('postgres:')) return openClaims(place)
  const [url = '', folder] = place.split('#')
  return openPostgresClaims(url, { beatMs: 100, ...(folder !== undefined && { folder }) })
}

const opened = open(process.argv[2] as string).then((claims) =>
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
