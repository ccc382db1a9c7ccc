import { checkAccessible } from './explorer/check-accessible.ts'

checkAccessible('dark')
