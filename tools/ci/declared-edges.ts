/** Dependencies of a file that neither an import nor a path in its text shows. */
export interface DeclaredEdge {
  readonly from: string
  /** Files, or folders with everything below them. */
  readonly to: readonly string[]
  readonly why: string
}

/** Files that prepare the checkout, on which every process started from it depends. */
const SETUP = [
  'tools/bootstrap.mjs',
  'tools/ready.mjs',
  'tools/bundle',
  'tools/setup-lock.mjs',
  'package.json',
  'package-lock.json',
]

const WASM = ['assembly', 'asconfig.json', 'tools/engine-registers.ts'] as const

export const DECLARED_EDGES: readonly DeclaredEdge[] = [
  { from: 'host/node/wasm.ts', to: WASM, why: 'reads build/*.wasm by the name of a module' },
  { from: 'host/explorer/browser/engine-files.ts', to: WASM, why: 'fetches build/*.wasm' },
  { from: 'host/wallet/signer/signer-main.ts', to: WASM, why: 'reads build/engine.wasm' },
  { from: 'test/support/engine/assembly.ts', to: WASM, why: 'compiles what imports assembly/' },
  { from: 'test/vitest.config.ts', to: ['test/support/run', ...SETUP], why: 'runs every test' },
  { from: 'tools/run.mjs', to: SETUP, why: 'every task prepares the checkout' },
  { from: 'tools/lockstep.mjs', to: ['host/cli/main.ts'], why: 'runs the command line' },
  {
    from: 'host/node/serve/explorer-files.ts',
    to: ['host/explorer/page', 'tools/explorer'],
    why: 'serves build/explorer',
  },
  {
    from: 'test/support/package/installed-package.ts',
    to: ['host', 'assembly', 'tools/package', 'tools/explorer', ...SETUP],
    why: 'packs the checkout with npm and installs it',
  },
  {
    from: 'tools/package/web.ts',
    to: ['host', 'assembly', 'tools/package', 'package.json'],
    why: 'bundles the modules for browsers',
  },
  {
    from: 'test/clients/readme/readme-parts.ts',
    to: [
      'README.md',
      '.github/CONTRIBUTING.md',
      'host/api/rpc/README.md',
      'host/chain/consensus/import/README.md',
      'host/chain/dev/README.md',
      'host/chain/snapshot/README.md',
      'host/entry/README.md',
      'host/node/README.md',
      'host/payments/README.md',
      'host/storage/README.md',
      'host/toolkit/README.md',
      'host/wallet/README.md',
    ],
    why: 'follows the guides',
  },
  { from: 'test/clients/hardhat.slow.test.ts', to: ['bench/peers/hardhat'], why: 'runs it' },
  { from: 'test/clients/foundry.slow.test.ts', to: ['bench/peers/foundry'], why: 'runs it' },
  {
    from: 'test/clients/anvil-starters.slow.test.ts',
    to: ['bench/peers/starters'],
    why: 'runs it',
  },
]
