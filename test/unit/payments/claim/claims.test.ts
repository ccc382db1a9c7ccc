import { folderClaimStore } from '../../../support/payments/claim-stores.ts'
import { testClaims } from '../../../support/payments/claims-suite.ts'

testClaims(folderClaimStore)
