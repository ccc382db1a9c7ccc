import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import { freePort } from '../../support/http-server.ts'
import { type Daemon, startDaemon } from '../../support/node/daemon.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'
import { installPackage } from '../../support/package/installed-package.ts'
import {
  OUR_CLIENTS,
  PUBLISHED_CLIENTS,
  payerAccount,
  titleOf,
} from '../../support/payments/paying-clients.ts'
import { absentPeers, PEERS_FOLDER } from '../../support/payments/peers.ts'
import { startProgram } from '../../support/program.ts'
import { fundedKey } from '../shop/funded-key.ts'

const CHAIN_ID = 1329
const CLIENTS = [...PUBLISHED_CLIENTS, ...OUR_CLIENTS]

/** A project with the package and the frameworks installed, and a node at which its programs are paid. */
export class SellingProject {
  /** Folder of its programs. */
  readonly folder: string
  readonly #root: string
  readonly #daemon: Daemon
  readonly #variables: Readonly<Record<string, string>>

  private constructor(
    folder: string,
    root: string,
    daemon: Daemon,
    variables: Readonly<Record<string, string>>,
  ) {
    this.folder = folder
    this.#root = root
    this.#daemon = daemon
    this.#variables = variables
  }

  /** Creates the project with these peer packages, which must be installed. */
  static async make(packages: readonly string[]): Promise<SellingProject> {
    const root = mkdtempSync(join(tmpdir(), 'programs-'))
    const home = join(root, 'home')
    mkdirSync(home)
    const daemon = await startDaemon({
      home,
      arguments: [
        ...['--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
        ...['--chain-id', `${CHAIN_ID}`, '--consensus.block-time', '50ms'],
      ],
    })
    const { rpc, paymentToken } = daemon.ready
    const variables = {
      RPC_URL: rpc,
      TOKEN: paymentToken as Hex,
      PAY_TO: devAccount(9).address,
      SETTLER_KEY: await fundedKey(rpc, CHAIN_ID, 7),
      NEXT_TELEMETRY_DISABLED: '1',
    }
    const { folder } = await installPackage(root)
    for (const name of packages) {
      const link = join(folder, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(PEERS_FOLDER, name), link)
    }
    return new SellingProject(folder, root, daemon, variables)
  }

  /** Runs a server with Node, lets each client pay at it, and stops it. */
  async sell(args: readonly string[]): Promise<void> {
    const port = await freePort()
    const program = startProgram([process.execPath, ...args], {
      cwd: this.folder,
      variables: { ...this.#variables, PORT: `${port}` },
    })
    const { output } = program
    const url = `http://127.0.0.1:${port}/weather`
    try {
      const status = await program.says(() =>
        fetch(url).then(
          (response) => response.status,
          () => undefined,
        ),
      )
      expect(status, output()).toBe(402)
      const { rpc, paymentToken } = this.#daemon.ready
      const chain = { rpc, chainId: CHAIN_ID, asset: paymentToken as Hex }
      for (const [index, row] of CLIENTS.entries()) {
        if (absentPeers(...row.packages) !== '') continue
        const { status, body } = await row.get(url, chain, payerAccount(index % 7))
        expect([status, body], `${titleOf(row)}\n${output()}`).toMatchObject([
          200,
          { temperature: 21, payment: { isValid: true } },
        ])
      }
    } finally {
      await program.stop()
    }
  }

  async close(): Promise<void> {
    expect(await this.#daemon.stop()).toBe(0)
    rmSync(this.#root, { recursive: true })
  }
}
