import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEV_ACCOUNTS } from '../../../host/base/dev-accounts.ts'
import { makeGate } from '../../support/gate.ts'
import {
  type Daemon,
  type DaemonOptions,
  initializeValidator,
  startDaemon,
} from '../../support/node/daemon.ts'
import { PAY_TO } from '../../support/payments/gate-node.ts'
import { until } from '../../support/until.ts'
import { type WalletChildName, walletChild } from '../../support/wallet/wallet-child.ts'
import { createApp, type WalletApp } from '../../support/wallet/wallet-node.ts'

/** Address of the token in a development genesis. */
export const MIXED_TOKEN = '0x4020000000000000000000000000000000000402'

/** What can be killed: the whole node, or a wallet process. */
export type Victim = 'node' | WalletChildName

const SOLD = 'what was paid for'

const FLAGS = [
  ...['--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
  ...['--wallets.enable', 'true', '--wallets.address', '127.0.0.1:0'],
  ...['--consensus.block-time', '50ms', '--consensus.create-empty-blocks', 'false'],
  ...['--evm.max-trace-lookback-blocks', '-1', '--log-level', 'error'],
]

/**
 * A validator that sells a resource and has wallets, in one home. After a kill it can be started again, and requests
 * wait for that.
 */
export class MixedNode {
  readonly home: string
  #daemon: Daemon | undefined
  #running = makeGate()
  #app: WalletApp | undefined

  /** Command prefix and environment variables of the node. */
  readonly #way: Pick<DaemonOptions, 'before' | 'variables'>

  private constructor(home: string, way: Pick<DaemonOptions, 'before' | 'variables'>) {
    this.home = home
    this.#way = way
  }

  /** Creates the home, with a settler, resources of both styles and an app, and starts the node. */
  static async make(
    home: string,
    way: Pick<DaemonOptions, 'before' | 'variables'> = {},
  ): Promise<MixedNode> {
    await initializeValidator(home)
    const [settler] = DEV_ACCOUNTS.slice(8)
    writeFileSync(join(home, 'config', 'settler.key'), `${settler?.privateKey}\n`, { mode: 0o600 })
    writeFileSync(join(home, 'sold.txt'), SOLD)
    const resources = ['contract', 'x402'].map(
      (style) =>
        `\n[[payments.resource]]\npath = "/${style}"\nroot = "sold.txt"\nprice = "0.001"\nstyle = "${style}"\n`,
    )
    appendFileSync(join(home, 'config', 'app.toml'), resources.join(''))
    const node = new MixedNode(home, way)
    await node.start()
    node.#app = await createApp(home)
    return node
  }

  async start(): Promise<void> {
    const { home } = this
    const terms = ['--payments.asset', MIXED_TOKEN, '--payments.pay-to', PAY_TO]
    const settler = ['--payments.settler-key', 'config/settler.key']
    const args = [...FLAGS, ...terms, ...settler]
    this.#daemon = await startDaemon({ home, dev: false, arguments: args, ...this.#way })
    this.#running.open()
  }

  /** Resolves with the node as soon as it runs. */
  async running(): Promise<Daemon> {
    await this.#running.opened
    return this.daemon
  }

  get daemon(): Daemon {
    if (this.#daemon === undefined) throw new Error('the node was never started')
    return this.#daemon
  }

  get app(): WalletApp {
    if (this.#app === undefined) throw new Error('there is no app yet')
    return this.#app
  }

  /** Returns a function that kills the victim at once, and one that restarts it. */
  async prepareKill(
    victim: Victim,
  ): Promise<{ readonly kill: () => void; readonly revive: () => Promise<void> }> {
    const { daemon } = this
    if (victim === 'node') {
      const kill = () => {
        this.#running = makeGate()
        daemon.process.kill('SIGKILL')
      }
      const revive = async () => {
        await daemon.stop('SIGKILL')
        await this.start()
      }
      return { kill, revive }
    }
    // It may still be starting after the previous kill.
    let pid: number | undefined
    await until(() => {
      pid = walletChild(daemon.ready.pid, victim)
      return pid !== undefined
    })
    // The node restarts it, and requests wait for that.
    return { kill: () => process.kill(pid as number, 'SIGKILL'), revive: async () => {} }
  }

  async stop(): Promise<number | string> {
    return this.daemon.stop()
  }

  /** Kills the node if it still runs. */
  async end(): Promise<void> {
    const { process: child } = this.daemon
    if (child.exitCode === null && child.signalCode === null) await this.daemon.stop('SIGKILL')
  }
}
