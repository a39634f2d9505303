/** To be imported before the nodes: beside each `X.node.ts` lies an `X.node.json`, which Node would take for `X.node`. */
const json = require.extensions['.json'];
Reflect.deleteProperty(require.extensions, '.json');
require.extensions['.json'] = json;
