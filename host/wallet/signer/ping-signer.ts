import { connect } from 'node:net'
import { encodeFrame } from './frame.ts'
import { PING } from './message.ts'

/** Resolves when the signer at a socket answers, which it does ahead of its queue. */
export function pingSigner(path: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, signal })
    socket.once('connect', () => socket.write(encodeFrame(PING)))
    socket.once('data', () => {
      resolve()
      socket.destroy()
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the signer closed the connection')))
  })
}
