/**
 * Who may import whom. `path` and `pathNot` are regular expressions on paths from the root.
 * Processes (api, workers, cli, bench) stand on top, domain at the bottom; nothing points upwards.
 */
const FOLDERS = 'domain|workflows|activities|files|store|workers|api|web|cli|sdk|engines|demo|bench|test|setup';

/** Everything of ours outside of a folder but what is listed. */
const only = (folder, allowed, comment) => ({
  name: `${folder}-imports`,
  comment,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: `^(${FOLDERS}|config\\.ts)(/|$)`, pathNot: [`^${folder}/`, ...allowed] },
});

module.exports = {
  forbidden: [
    only('domain', [], 'domain is pure: it runs in a workflow, a browser and a test'),
    only('store', ['^domain/'], 'store stands on domain alone'),
    only('files', ['^domain/'], 'files of notebooks know paths and bytes, and nobody who asks for them'),
    only('activities', ['^domain/', '^store/', '^files/'], 'activities act through domain, store and files'),
    only('workflows', ['^domain/', '^activities/'], 'workflows decide with domain; of activities they see types'),
    only(
      'api',
      ['^domain/', '^store/', '^files/', '^workflows/(messages|start|schedules)\\.ts$', '^config\\.ts$'],
      'api starts and signals; it never acts itself',
    ),
    only(
      'workers',
      ['^activities/', '^store/', '^domain/', '^workflows/(messages|start)\\.ts$', '^config\\.ts$'],
      'workers only put processes together',
    ),
    only('web', ['^domain/'], 'the page knows the contract and nothing else'),
    only('sdk', ['^domain/'], 'the SDK knows the contract and nothing else'),
    only('engines', [], 'engines are handed everything'),
    only('demo', ['^domain/'], 'the demo model is a server like any other provider: it knows the contract alone'),
    only(
      'cli',
      ['^sdk/', '^engines/', '^domain/', '^activities/sandbox/', '^config\\.ts$'],
      'the CLI is a client, and starts engines; doctor proves that commands can be confined',
    ),
    {
      name: 'activities-as-types-only',
      comment: 'an activity imported as code would run inside the workflow sandbox',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'config-in-entry-points-only',
      comment: 'everything else is handed its values',
      severity: 'error',
      from: { pathNot: ['^api/server\\.ts$', '^workers/', '^cli/', '^bench/', '^test/'] },
      to: { path: '^config\\.ts$' },
    },
    {
      name: 'domain-is-pure',
      comment: 'nothing of Node, no clock, no I/O',
      severity: 'error',
      from: { path: '^domain/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'mongoose-in-store-only',
      comment: 'tenancy lives in the store; a query elsewhere would go around it',
      severity: 'error',
      from: { pathNot: ['^store/', '^test/', '^engines/(mongod|reach)\\.ts$'] },
      to: { path: '(^|/)node_modules/(mongoose|mongodb)/' },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules/\\.)' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
