import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The guides by reader, in reading order. Each reader starts with an empty home. */
export const GUIDES = {
  developers: [
    'README.md',
    'host/chain/dev/README.md',
    'host/api/rpc/README.md',
    'host/payments/README.md',
    'host/wallet/README.md',
    'host/toolkit/README.md',
  ],
  operators: [
    'host/node/README.md',
    'host/chain/snapshot/README.md',
    'host/storage/README.md',
    'host/chain/consensus/import/README.md',
  ],
  contributors: ['.github/CONTRIBUTING.md', 'host/entry/README.md'],
} as const

/** Returns the text of a page; `path` is relative to the checkout. */
export function readPage(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')
}

/** The command run in place of one in a page, and the reason for it. */
export const INSTEAD: Readonly<Record<string, { readonly run: string; readonly because: string }>> =
  {
    'npm test': {
      run: 'npm test -- test/unit/base/hex.test.ts',
      because: 'this test is one of those it runs',
    },
    'npm run test:all': {
      run: 'npm run test:all -- test/unit/base/hex.test.ts',
      because: 'this test is one of those it runs',
    },
    'npm run -s conformance': {
      run: 'mkdir -p none && npm run -s conformance -- none',
      because: 'the vectors are no part of a checkout',
    },
    'npm run -s check': {
      run: 'npm run 2>&1 | grep -q "run.mjs check"',
      because: 'all of it takes half a minute, and a change passes it before any test',
    },
    'npm run -s component': {
      run: 'npm run 2>&1 | grep -q run.mjs.component',
      because: 'it takes a quarter of a minute: test/runtimes/component.slow.test.ts makes it',
    },
    'npm run -s bench -- chain': {
      run: 'npm run -s bench 2>&1 | grep -q chain',
      because: 'it measures for minutes: that the bench is named and found is what is looked at',
    },
    'npm pack': {
      run: 'npm pack --ignore-scripts',
      because: 'its script writes for half a minute: test/package runs it and installs the result',
    },
    'npm install viem': {
      run: 'test -d node_modules/viem',
      because: 'the checkout has it, and a test reaches no network',
    },
    'npm install -g ./lockstep-<version>.tgz': {
      run: 'test -f lockstep-*.tgz',
      because:
        'a test reaches no network: test/package shows that the package runs where nothing else is',
    },
    'npm install ./lockstep-<version>.tgz': {
      run: 'test -f lockstep-*.tgz',
      because: 'as above',
    },
    'npm run -s lockstep -- network start ~/network': {
      run: 'npm run -s lockstep -- network start --help | grep -q -e --ready-file',
      because:
        'it runs six nodes until somebody ends it: test/network/network-start.slow.test.ts does',
    },
    'lockstep anvil': {
      run: 'npm run -s lockstep -- anvil --help | grep -q -e --mnemonic-random',
      because: 'it serves until somebody ends it: test/unit/cli/start/anvil.slow.test.ts starts it',
    },
    'lockstep debug state-size': {
      run: 'npm run -s lockstep -- debug state-size',
      because: 'in a checkout the command is an npm script',
    },
    'lockstep prune --keep-recent N --retain-blocks N': {
      run: 'npm run -s lockstep -- prune --help | grep -q -e --retain-blocks',
      because: 'N is a placeholder: test/unit/cli/compact.slow.test.ts prunes a home',
    },
    'lockstep compact': {
      run: 'npm run -s lockstep -- compact --help | grep -q compact',
      because:
        'in a checkout the command is an npm script: test/unit/cli/compact.slow.test.ts runs it',
    },
    'lockstep payments move --home HOME': {
      run: 'npm run -s lockstep -- payments move --help | grep -q -e --home',
      because:
        'HOME is a placeholder, and it needs a database: test/unit/payments/store/move-payments.slow.test.ts runs it',
    },
    'npm sbom --omit dev --sbom-format cyclonedx': {
      run: 'npm sbom --help | grep -q cyclonedx',
      because: 'the packages of this copy of the checkout are links, not an installation by npm',
    },
    'npx --package ./lockstep-<version>.tgz lockstep start --dev': {
      run: 'npm run 2>&1 | grep -q pack:try',
      because:
        'the tarball is another guide’s, and it serves until somebody ends it: test/package installs and starts it',
    },
    'lockstep payments refund ID --key FILE': {
      run: 'npm run -s lockstep -- payments refund --help | grep -q -e --key',
      because: 'ID and FILE are placeholders: test/payments/refund.slow.test.ts refunds a payment',
    },
    'npm install pg@8.23.1': {
      run: 'test -d node_modules/pg',
      because: 'the checkout has it, and a test reaches no network',
    },
    'npm run -s lockstep -- export part.rlp --from 1 --to 1000 --home ~/.lockstep/imported': {
      run: 'npm run -s lockstep -- export part.rlp --from 1 --to 3 --home ~/.lockstep/imported',
      because: 'the chain that the guide imports here has three blocks',
    },
    'lockstep migrate split-store --from URL': {
      run: 'npm run -s lockstep -- migrate split-store --help | grep -q -e --from',
      because:
        'it empties a home and syncs it from another node: test/unit/cli/migrate-by-sync.slow.test.ts runs it',
    },
  }
