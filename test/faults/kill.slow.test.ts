import { testKills } from './kill-under-load.ts'

testKills(50)
