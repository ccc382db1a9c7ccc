import { bySet } from '../support/run/by-set.ts'
import { FLOOD_NAMES, ONE_OF_EACH, testFloods } from './flood/flood-tests.ts'

testFloods({ server: 'uws', threads: 2 }, bySet(ONE_OF_EACH, FLOOD_NAMES), bySet(2, 3))
