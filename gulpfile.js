/** `npm run build`: writes the files that n8n loads to `dist/`. `npm run types` checks the types. */
require('tsx/cjs');
const { rmSync } = require('node:fs');
const { dest, parallel, series, src } = require('gulp');

const { n8n } = require('./package.json');
const { buildBundle } = require('./scripts/build/bundle.ts');

function clean(done) {
	rmSync('dist', { recursive: true, force: true });
	done();
}

function bundle(done) {
	buildBundle(__dirname, [...n8n.nodes, ...n8n.credentials]);
	done();
}

const copyIcons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
/** n8n reads them from the folder of the node: the codex, and the schemas of the output previews. */
const copyNodeFiles = () => src('nodes/**/{*.node,__schema__/**/*}.json').pipe(dest('dist/nodes'));

exports.build = series(clean, parallel(bundle, copyIcons, copyNodeFiles));
