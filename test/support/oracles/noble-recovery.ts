export { nobleRecovery } from '../../../host/chain-types/noble-recovery.ts'
