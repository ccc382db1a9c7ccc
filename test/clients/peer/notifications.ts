import WebSocket from 'ws'

interface Message {
  readonly id?: number
  readonly error?: { readonly message: string }
  readonly params?: { readonly result: { readonly block: string } }
}

/** Returns the notifications of a subscription to consecutive blocks, up to block `last`. */
export function notifications(
  url: string,
  namespace: string,
  params: readonly unknown[],
  last: string,
): Promise<unknown[]> {
  const socket = new WebSocket(url)
  const told: unknown[] = []
  return new Promise<unknown[]>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`closed with ${code}`)))
    socket.on('open', () => {
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: `${namespace}_subscribe`, params }),
      )
    })
    socket.on('message', (data) => {
      const { error, params: news } = JSON.parse(String(data)) as Message
      if (error !== undefined) reject(new Error(error.message))
      if (news === undefined) return
      told.push(news.result)
      if (news.result.block === last) resolve(told)
    })
  }).finally(() => {
    socket.removeAllListeners('close')
    socket.terminate()
  })
}
