import { type Daemon, makeHome, removeHome, startDaemon } from '../node/daemon.ts'
import { createApp } from './wallet-node.ts'

/** A development node that holds wallets, with an app that was made while it runs. */
export interface WalletNode {
  readonly daemon: Daemon
  readonly home: string
  readonly url: string
  readonly appId: string
  readonly appSecret: string
  /** Headers of every request of the app. */
  readonly headers: Readonly<Record<string, string>>
  ask(method: string, path: string, body?: unknown, headers?: object): Promise<Answered>
  close(): Promise<void>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

export async function startWalletNode(args: readonly string[] = []): Promise<WalletNode> {
  const home = makeHome()
  const daemon = await startDaemon({
    home,
    arguments: ['--wallets.enable', 'true', '--wallets.address', '127.0.0.1:0', ...args],
  })
  const url = daemon.ready.wallets as string
  const { appId, appSecret } = await createApp(home)
  const headers = {
    authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
    'wallet-app-id': appId,
  }
  const ask: WalletNode['ask'] = async (method, path, body, more = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    }
  }
  const close = async () => {
    await daemon.stop()
    removeHome(home)
  }
  return { daemon, home, url, appId, appSecret, headers, ask, close }
}
