import { expect, test } from 'vitest'
import { settingKeys } from '../../config/keys.ts'
import { ROWS } from './rows.ts'

test('every documented setting has a row that shows its effect', () => {
  expect(Object.keys(ROWS).sort()).toEqual(settingKeys().sort())
})
