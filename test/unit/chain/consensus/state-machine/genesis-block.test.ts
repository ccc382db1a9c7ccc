import { expect, test } from 'vitest'
import { genesisChangeset } from '../../../../../host/chain/consensus/state-machine/genesis-block.ts'
import { presetGenesis } from '../../../../../host/evm/chain-types/genesis-presets.ts'
import { wasmKeccak256 } from '../../../../support/chain/wasm-keccak.ts'

test('the app hash covers the upgrade plans of genesis.json', async () => {
  const genesis = {
    ...presetGenesis('1329', { time: 0n, validators: [] }),
    upgrades: [{ name: 'v2', height: 100_000 }],
  }
  const { modules } = genesisChangeset(genesis, wasmKeccak256)
  const params = modules.find(({ module }) => module === 'params')
  const rows = params?.writes.map(({ key, value }) =>
    [key, value].map((bytes) => new TextDecoder().decode(bytes ?? new Uint8Array(0))),
  )
  expect(rows).toContainEqual(['upgrade/v2', '100000'])
})
