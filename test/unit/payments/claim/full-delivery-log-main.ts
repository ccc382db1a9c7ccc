import { DeliveryLog } from '../../../../host/payments/claim/delivery-log.ts'
import { claimKey } from '../../../support/payments/claim-facts.ts'

// Writes more deliveries than the file size limit allows, and exits like a killed process.

const log = new DeliveryLog(process.argv[2] as string)
for (let number = 0; number < 200; number++) log.add(claimKey(number))
process.kill(process.pid, 'SIGKILL')
