import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, linkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../support/node/daemon.ts'
import { makeFollowerHome } from '../support/node/follower-home.ts'
import { call } from '../support/node/json-rpc.ts'
import { reachHeight } from '../support/node/progress.ts'
import { ToyHome } from '../unit/chain/consensus/toy-chain.ts'

const SIGNER = fileURLToPath(new URL('process/signing-process.ts', import.meta.url))

/** What a signing process wrote before it ended. */
interface Said {
  readonly height?: number
  readonly signature?: string
  readonly refused?: string
  readonly calls?: number
}

function runSigner(home: ToyHome, task: object): readonly Said[] {
  const { keyPath, statePath } = home
  const whole = JSON.stringify({ keyPath, statePath, chainId: 'toy-1', ...task })
  const { stdout } = spawnSync(process.execPath, [SIGNER, whole], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Said)
}

test('kill -9 between any two calls of a signing leaves one signature for each height', async () => {
  const home = await ToyHome.create()
  try {
    const calls = runSigner(home, { heights: [1], block: 1 }).at(-1)?.calls ?? 0
    expect(calls).toBe(12)
    const released = new Map<number, string>([])
    let height = 2
    for (let fatal = 0; fatal <= calls; fatal++) {
      // Signs the same height twice, for different blocks. After the kill, only the recorded signature may be
      // published.
      for (const life of [
        { fatal, heights: [height], block: 1 },
        { heights: [height, height], block: 2 },
      ]) {
        for (const said of runSigner(home, life)) {
          if (said.height === undefined || said.signature === undefined) continue
          expect(said.signature).toBe(released.get(said.height) ?? said.signature)
          released.set(said.height, said.signature)
        }
      }
      const later = runSigner(home, { heights: [height + 1000], block: 3 })
      expect(later[0]?.signature, 'the signer is not stuck').toBeDefined()
      height += 1000
    }
  } finally {
    await home.remove()
  }
})

describe('two validator nodes', () => {
  const folder = makeHome()
  afterAll(() => removeHome(folder))
  const first = join(folder, 'first')
  const ARGUMENTS = ['--consensus.block-time', '20ms']
  // Not with --dev, under which a node may sign a height more than once.
  const start = (home: string): Promise<Daemon> =>
    startDaemon({ home, arguments: ARGUMENTS, dev: false })
  const keyOf = (home: string) => join(home, 'config', 'priv_validator_key.json')

  interface CommitAnswer {
    readonly result: {
      readonly signed_header: {
        readonly commit: {
          readonly block_id: { readonly hash: string }
          readonly signatures: readonly { readonly signature: string }[]
        }
      }
    }
  }

  /** Returns the node's signature at each height so far. */
  async function signaturesOf({ ready }: Daemon): Promise<Map<number, string>> {
    const newest = Number(await call<Hex>(ready.rpc, 'eth_blockNumber'))
    const found = new Map<number, string>()
    for (let height = 1; height <= newest; height++) {
      const answer = await fetch(`${ready.consensus}/commit?height=${height}`)
      const { commit } = ((await answer.json()) as CommitAnswer).result.signed_header
      found.set(height, `${commit.block_id.hash} ${commit.signatures[0]?.signature}`)
    }
    return found
  }

  test('never sign with the same key, whether it is copied, linked, or restored with an earlier data/', async () => {
    await initializeValidator(first)
    let daemon = await start(first)
    await reachHeight(daemon.ready.rpc, 5)
    expect(await daemon.stop()).toBe(0)
    const backup = join(folder, 'backup')
    cpSync(join(first, 'data'), backup, { recursive: true })
    const config = join(folder, 'config')
    cpSync(join(first, 'config'), config, { recursive: true })

    daemon = await start(first)
    const { pid } = daemon.process
    await reachHeight(daemon.ready.rpc, 10)
    for (const way of [copyFileSync, linkSync, symlinkSync]) {
      const second = join(folder, way.name)
      cpSync(config, join(second, 'config'), { recursive: true })
      cpSync(backup, join(second, 'data'), { recursive: true })
      rmSync(keyOf(second))
      way(keyOf(first), keyOf(second))
      await expect(start(second), way.name).rejects.toThrow(
        new RegExp(
          `node ended with 75 .*the validator key [0-9A-F]{40} is in use by process ${pid} of ${first}\nHint: `,
          's',
        ),
      )
    }
    const signed = await signaturesOf(daemon)
    expect(await daemon.stop('SIGKILL')).toBe('SIGKILL')

    rmSync(join(first, 'data'), { recursive: true })
    cpSync(backup, join(first, 'data'), { recursive: true })
    await expect(start(first)).rejects.toThrow(
      /node ended with 70 .*Duplicate signature refused: .* ends at height \d+ round 0, but the key has signed height \d+ round 0/s,
    )
    // Only the signing state is current. The blocks are still older than the signatures.
    const record = `priv_validator_signed.${await addressOf(first)}.json`
    copyFileSync(join(first, 'config', record), join(first, 'data', 'priv_validator_state.json'))
    await expect(start(first)).rejects.toThrow(
      /Duplicate signature refused: the validator has signed height \d+, but the blocks in .* end at height \d+/,
    )
    expect(signed.size).toBeGreaterThanOrEqual(10)
  })

  test('never sign twice after a whole home is restored, since a node checks the signatures that followers have', async () => {
    const home = join(folder, 'validator')
    const following = join(folder, 'following')
    await initializeValidator(home)
    const run = (...flags: string[]) =>
      startDaemon({ home, dev: false, arguments: ['--consensus.block-time', '20ms', ...flags] })
    let daemon = await run()
    await reachHeight(daemon.ready.rpc, 3)
    expect(await daemon.stop()).toBe(0)
    const backup = join(folder, 'whole')
    cpSync(home, backup, { recursive: true })
    await makeFollowerHome(following, home)

    daemon = await run()
    const servers = ['--follow.rpc-servers', daemon.ready.consensus]
    const follower = await startDaemon({ home: following, dev: false, arguments: servers })
    await reachHeight(follower.ready.rpc, 20)
    expect(await daemon.stop()).toBe(0)
    const check = ['--consensus.double-sign-check-servers', follower.ready.consensus]
    // The current home starts, since the follower has no later block.
    daemon = await run(...check)
    expect(await daemon.stop()).toBe(0)

    rmSync(home, { recursive: true })
    cpSync(backup, home, { recursive: true })
    await expect(run(...check)).rejects.toThrow(
      /node ended with 70 .*Duplicate signature refused: http:.* has block \d+ with the signature of this key, but the blocks in .* end at height \d+\nHint: this home is older than the signatures of its key/s,
    )
    expect(await follower.stop()).toBe(0)
    await expect(run(...check)).rejects.toThrow(
      /node ended with 69 .*does not answer: Dial tcp connection refused \(ECONNREFUSED\): .*\nHint: start one of double-sign-check-servers/s,
    )
  })
})

async function addressOf(home: string): Promise<string> {
  const { readValidatorKey } = await import('../../host/chain/consensus/validator/key-file.ts')
  const comet = await import('../../host/chain/consensus/comet/validator-set.ts')
  const { publicKey } = await readValidatorKey(join(home, 'config', 'priv_validator_key.json'))
  return Buffer.from(comet.cometAddress(publicKey)).toString('hex').toUpperCase()
}
