/** The rules on what an agent may do, and which code needs more than the permission to run. */
import { describe, expect, test } from 'vitest';
import { defaultPolicy, permissionToRun, type Situation, verdictOn } from '../../../main/agents/policy.ts';
import { PERMISSIONS } from '../../../preload/agent-sessions.ts';

const situation = (change: Partial<Situation>): Situation => ({
  permission: 'edit',
  decision: 'allow',
  takenOver: false,
  canAsk: true,
  ...change,
});

describe('a verdict', () => {
  test.each([
    [{}, 'allow'],
    [{ decision: 'ask' }, 'ask'],
    [{ decision: 'deny' }, 'refuse'],
    [{ decision: 'ask', canAsk: false }, 'refuse'],
    [{ takenOver: true }, 'refuse'],
    [{ takenOver: true, decision: 'ask' }, 'refuse'],
    [{ takenOver: true, permission: 'read' }, 'allow'],
    [{ permission: 'read', decision: 'deny' }, 'refuse'],
    [{ decision: 'perhaps' as 'ask' }, 'refuse'],
  ] satisfies [Partial<Situation>, string][])('on %o is %s', (change, kind) => {
    expect(verdictOn(situation(change)).kind).toBe(kind);
  });

  test('says why it refuses', () => {
    expect(verdictOn(situation({ decision: 'deny' }))).toMatchObject({ why: expect.stringContaining('“edit”') });
    expect(verdictOn(situation({ takenOver: true }))).toMatchObject({ why: expect.stringContaining('taken over') });
  });
});

test('the default asks about installs where somebody can answer, and about nothing where nobody can', () => {
  expect(defaultPolicy({ canAsk: true })).toMatchObject({ install: 'ask', edit: 'allow', run: 'allow' });
  expect(PERMISSIONS.every((permission) => defaultPolicy({ canAsk: false })[permission] === 'allow')).toBe(true);
});

describe('installing packages', () => {
  test.each([
    '%pip install pandas',
    'x = 1\n!pip install -q pandas',
    '  !python -m pip install pandas',
    '%conda install -y numpy',
    '!uv pip install x',
    '!uv add x',
    'subprocess.run([sys.executable, "-m", "pip", "install", "x"])',
    'import os; os.system("pip install x")',
  ])('is seen in %s', (code) => {
    expect(permissionToRun(['1 + 1', code])).toBe('install');
  });

  test.each(['# pip install pandas', 'print("pip install x")', 'install = 3', '!pip list', '!ls add', 'model.install()'])(
    'is not seen in %s',
    (code) => {
      expect(permissionToRun([code])).toBe('run');
    },
  );
});
