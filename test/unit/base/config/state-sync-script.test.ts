import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectConfig } from '../../../../host/base/config/load.ts'
import { withKey } from '../../../../host/base/config/set-key.ts'
import { PRESETS, type PresetName } from '../../../../host/evm/chain-types/genesis-presets.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import { initializeHome } from '../../../../host/node/home/initialize-home.ts'

// State-sync scripts as chains publish them, with the key names of this release.

const HASH = 'A'.repeat(64)
const VARIABLES = { SNAP_RPC: 'http://127.0.0.1:7', BLOCK_HEIGHT: '12', TRUST_HASH: HASH }

const SCRIPTS: Readonly<Record<string, string>> = {
  'one sed -E with groups': `sed -i.bak -E "s|^(enable[[:space:]]+=[[:space:]]+).*$|\\1true| ; \\
s|^(rpc[_-]servers[[:space:]]+=[[:space:]]+).*$|\\1\\"$SNAP_RPC,$SNAP_RPC\\"| ; \\
s|^(trust[_-]height[[:space:]]+=[[:space:]]+).*$|\\1$BLOCK_HEIGHT| ; \\
s|^(trust[_-]hash[[:space:]]+=[[:space:]]+).*$|\\1\\"$TRUST_HASH\\"|" FILE`,
  'one sed a key': `sed -i -e "s|^rpc-servers *=.*|rpc-servers = \\"$SNAP_RPC,$SNAP_RPC\\"|" FILE
sed -i -e "s|^trust-height *=.*|trust-height = $BLOCK_HEIGHT|" FILE
sed -i -e "s|^trust-hash *=.*|trust-hash = \\"$TRUST_HASH\\"|" FILE
sed -i -e "s|^enable *=.*|enable = true|" FILE`,
  'alternatives of both spellings': `sed -i -E \\
  -e "s#^(rpc_servers|rpc-servers)[[:space:]]*=.*#\\1 = \\"$SNAP_RPC,$SNAP_RPC\\"#" \\
  -e "s#^(trust_height|trust-height)[[:space:]]*=.*#\\1 = $BLOCK_HEIGHT#" \\
  -e "s#^(trust_hash|trust-hash)[[:space:]]*=.*#\\1 = \\"$TRUST_HASH\\"#" \\
  -e "s#^enable[[:space:]]*=.*#enable = true#" FILE`,
  'values in the pattern': `sed -i.bak -e "s/^enable = false/enable = true/; s/^trust-height = 0/trust-height = $BLOCK_HEIGHT/; s/^trust-hash = \\"\\"/trust-hash = \\"$TRUST_HASH\\"/" FILE
sed -i.bak -e "s|^rpc-servers = \\"\\"|rpc-servers = \\"$SNAP_RPC,$SNAP_RPC\\"|" FILE`,
}

const CHANGED = {
  'statesync.enable': true,
  'statesync.rpc-servers': `${VARIABLES.SNAP_RPC},${VARIABLES.SNAP_RPC}`,
  'statesync.trust-height': 12,
  'statesync.trust-hash': HASH,
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the values, by flag, that differ between two readings of a home. */
function differences(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>) {
  const changed = [...after].filter(
    ([flag, value]) => JSON.stringify(before.get(flag)) !== JSON.stringify(value),
  )
  return Object.fromEntries(changed)
}

function read(directory: string): ReadonlyMap<string, unknown> {
  const { settings, problems } = inspectConfig({ directory, environment: {}, flags: new Map() })
  expect(problems).toEqual([])
  return new Map(settings.map(({ entry, value }) => [entry.flag, value]))
}

function run(script: string, path: string): void {
  const text = script.replaceAll('FILE', `'${path}'`)
  execFileSync('sh', ['-e', '-c', text], { env: { ...process.env, ...VARIABLES } })
}

async function newHome(preset: PresetName | undefined): Promise<string> {
  const home = homeAt(mkdtempSync(join(folder, 'home-')))
  const chain = preset === undefined ? { genesis: undefined } : { preset, time: 0n }
  await initializeHome(home, { ...chain, moniker: 'a', overwrite: false })
  return home.config.directory
}

const PLACES: readonly (PresetName | undefined)[] = [
  ...(Object.keys(PRESETS) as PresetName[]),
  undefined,
]

describe.each(Object.entries(SCRIPTS))('a state-sync script of %s', (_, script) => {
  test.each(PLACES)('changes only [statesync] in a home of %s', async (preset) => {
    const directory = await newHome(preset)
    const before = read(directory)
    run(script, join(directory, 'config.toml'))
    expect(differences(before, read(directory))).toEqual(CHANGED)
    run(script, join(directory, 'app.toml'))
    expect(differences(before, read(directory))).toEqual(CHANGED)
  })

  test('changes only [statesync] after commands have written keys of the same names', async () => {
    const directory = await newHome('dev')
    const [config, app] = ['config.toml', 'app.toml'].map((name) => join(directory, name)) as [
      string,
      string,
    ]
    const edited = withKey(
      readFileSync(config, 'utf8'),
      'follow',
      'rpc-servers',
      'http://127.0.0.1:8',
    )
    writeFileSync(config, edited)
    writeFileSync(app, withKey(readFileSync(app, 'utf8'), 'payments', 'enable', false))
    const before = read(directory)
    for (const path of [config, app]) run(script, path)
    expect(differences(before, read(directory))).toEqual(CHANGED)
  })
})
