import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeHome, removeHome, runCommand, startDaemon } from '../../../support/node/daemon.ts'

const home = makeHome()
afterAll(() => removeHome(home))

test('a genesis.json with other limits or another fork is refused, and one with another layout is accepted', async () => {
  const path = join(home, 'config/genesis.json')
  const run = async () => (await startDaemon({ home })).stop()
  expect(await run()).toBe(0)
  const text = readFileSync(path, 'utf8')
  const changes = [
    ['"max_gas": "', '"max_gas": "1', 'app_state.evm.max_gas was "'],
    ['"Prague"', '"Osaka"', 'app_state.evm.revision was "Prague" and is "Osaka"'],
  ] as const
  for (const [before, after, change] of changes) {
    const changed =
      text.slice(0, text.indexOf('app_state')) +
      text.slice(text.indexOf('app_state')).replace(before, after)
    writeFileSync(path, changed)
    const { code, stderr } = await runCommand(['start', '--dev', '--home', home])
    expect(code).toBe(78)
    expect(stderr).toContain(
      `Error: ${path} is not the genesis of the chain in ${home}/data/blockstore.db`,
    )
    expect(stderr).toMatch(/: its hash is [0-9a-f]{64}, not [0-9a-f]{64}; /)
    expect(stderr).toContain(change)
    expect(stderr).toContain("Hint: restore the chain's genesis.json")
  }
  writeFileSync(path, JSON.stringify(JSON.parse(text)))
  expect(await run()).toBe(0)
})
