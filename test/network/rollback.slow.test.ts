import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { runCommand } from '../support/node/daemon.ts'
import { MAIN } from '../support/node/main-file.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

/** Delay between consecutive kills, counted from the first change of the home. */
const KILL_STEP_MS = 40

interface Rolled {
  readonly initial: { readonly app: number; readonly consensus: number }
  readonly height: number
  readonly blocks: number
}

describe.skipIf(COMETBFT === undefined)(
  'a rollback of a node with CometBFT (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  () => {
    let network: TestNetwork
    let maker: NetworkNode
    let node: NetworkNode

    beforeAll(async () => {
      network = await makeNetwork({ validators: 1, full: 1 })
      ;[maker, node] = network.nodes as [NetworkNode, NetworkNode]
      await network.start()
      await network.untilHeight(12)
    })
    afterAll(() => network?.close())

    const command = (...args: readonly string[]): string[] => [
      ...['rollback', '--home', node.home],
      ...args,
    ]

    const marker = (): string => join(node.home, 'data', 'rollback.json')

    async function rollBack(...args: readonly string[]): Promise<Rolled> {
      const { code, stdout, stderr } = await runCommand(command('--json', ...args))
      expect({ code, stderr }).toMatchObject({ code: 0 })
      return JSON.parse(stdout) as Rolled
    }

    /** Expects that the node continues, with the same blocks as the others since `from`. */
    async function expectFollows(from: number): Promise<void> {
      await node.start()
      const next = (await maker.height()) + 2
      await network.untilHeight(next)
      for (let height = from; height <= next; height++) {
        expect(await network.views(height)).toHaveLength(1)
      }
    }

    test('executes any number of later blocks again', async () => {
      expect(await node.stop()).toBe(0)
      const { initial, height, blocks: kept } = await rollBack('-n', '6')
      expect(initial.app).toBe(initial.consensus)
      expect(height).toBe(initial.app - 6)
      expect(kept).toBe(initial.consensus)
      await expectFollows(height)
    })

    test('with --hard removes the later blocks and fetches them from its peers again', async () => {
      expect(await node.stop()).toBe(0)
      const { initial, height, blocks: kept } = await rollBack('--hard', '-n', '4')
      expect(height).toBe(initial.app - 4)
      expect(kept).toBe(height)
      expect(existsSync(join(node.home, 'data', 'cometbft', 'data', 'cs.wal'))).toBe(false)
      await expectFollows(height)
    })

    test.each([
      ['a soft one', []],
      ['a hard one', ['--hard']],
    ] as const)(
      'can be repeated after a kill at any moment: %s',
      async (_, flags) => {
        expect(await node.stop()).toBe(0)
        let kills = 0
        for (;;) {
          const child = spawn(process.execPath, [MAIN, ...command('-n', '4', ...flags)], {
            stdio: 'ignore',
            // Its process group includes CometBFT's command.
            detached: true,
          })
          let timer: NodeJS.Timeout | undefined
          // The marker exists from the first change to the last.
          const watcher = watch(join(node.home, 'data'), () => {
            if (timer !== undefined || !existsSync(marker())) return
            const end = () => child.exitCode === null && process.kill(-Number(child.pid), 'SIGKILL')
            timer = setTimeout(end, kills * KILL_STEP_MS)
          })
          const [code, signal] = await once(child, 'close')
          watcher.close()
          clearTimeout(timer)
          if (signal === null) {
            expect(code).toBe(0)
            break
          }
          kills++
        }
        expect(kills).toBeGreaterThan(0)
        expect(existsSync(marker())).toBe(false)
        await expectFollows(Math.max(1, (await maker.height()) - 12))
      },
      120_000,
    )

    test('with --hard is refused if this validator has signed a block to be removed', async () => {
      expect(await maker.stop()).toBe(0)
      const args = ['rollback', '--hard', '-n', '2', '--home', maker.home]
      const { code, stderr } = await runCommand(args)
      expect(code).not.toBe(0)
      expect(stderr).toContain('rollback --hard would remove blocks up to height')
      const height = await node.height()
      await maker.start()
      await network.untilHeight(height + 2)
    })
  },
)
