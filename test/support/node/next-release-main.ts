import { RELEASE_UPGRADES } from '../../../host/node/release-upgrades.ts'

// The command line of a release that contains the upgrade of the tests: its table has one more name.
const names = RELEASE_UPGRADES as string[]
names.push('v2')
await import('../../../host/cli/main.ts')
