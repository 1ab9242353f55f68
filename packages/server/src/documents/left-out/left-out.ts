/**
 * These lists name the files and folders that the `files` source leaves out by default, also inside of archives.
 * docs/sources/files.md shows the same lists.
 *
 * A pattern is a name, or the last parts of a path; upper and lower case do not matter. `*` stands for anything, `%`
 * for anything without a dot, `?` for one character, `{a,b}` for one of several texts. A name that is an everyday word
 * is not in the lists of names: `build` may be a folder of notes. A folder with such a name is left out only when a
 * file beside it or in it shows that a program has made the folder.
 */

/** This says why a file or folder is left out. */
export interface Reason {
  /** This is a fixed phrase: a job counts the records that it leaves out by their reason. */
  readonly reason: string;
  /** This says what such a file or folder usually contains. */
  readonly detail: string;
}

export interface LeftOutGroup extends Reason {
  readonly files?: string;
  readonly folders?: string;
}

/** These are the extensions of files with settings. */
export const DATA = '{json,yml,yaml,xml,ini,toml,cfg,conf,csv,properties,plist,enc,txt}';
const AS_SECRETS = 'left out as secrets';
export const OF_THE_SYSTEM = 'left out as files of the system';

/** Copies of these files are left out as well: `.env~`, `.id_rsa.swp`, `server.pem.bak`, `credentials (1)`. */
export const SECRETS: readonly LeftOutGroup[] = [
  {
    reason: AS_SECRETS,
    detail: 'environment variables',
    files: '.env* *.env .flaskenv .renviron',
  },
  {
    reason: AS_SECRETS,
    detail: 'keys',
    files: `
      id_rsa* id_dsa* id_ecdsa* id_ed25519* id_xmss* id_% id_%.{pub,key,b64} ssh_host_*
      %_{rsa,dsa,ecdsa,ed25519} %-{rsa,dsa,ecdsa,ed25519} %.{rsa,dsa,ecdsa,ed25519}
      *.{pem,key,privkey,private,p8,pk8,p12,pfx,pkcs8,pkcs12,pvk,ppk,snk,jwk,keytab,agekey,ovpn}
      *.{jks,jceks,bks,bcfks,keystore,gpg,pgp,skr} secring* privkey* wg%.conf *.nmconnection
      %{private,secret,access,api,signing,encryption}{_,-,}{key,keys}
      %{private,secret,access,api,signing,encryption}{_,-,}{key,keys}.${DATA}
      %{rsa,ssh,deploy,host,server,master,root,tls,ssl}{_,-}{key,keys} {key,keys,keyfile}.json *{_,-}key.json`,
    folders: '.ssh .gnupg .gpg .pki .keys .minikube .chef .step {ssl,tls,pki}/private',
  },
  {
    reason: AS_SECRETS,
    detail: 'passwords and tokens',
    files: `
      .netrc* _netrc* .authinfo* .pgpass* pgpass.conf .my.cnf .mylogin.cnf .msmtprc .fetchmailrc .getmailrc
      .npmrc .yarnrc .yarnrc.yml .pypirc .gemrc .gitcookies .git-credentials .dockercfg .dockerconfigjson
      .htpasswd* .htdigest* .vault-token .vault_pass* .vault-pass* vault_pass* .passwd-* .s3cfg .boto
      .smbcredentials .cifscredentials .ftpconfig .ftppass sftp.json sftp-config.json rclone.conf
      wp-config.php filezilla.xml sitemanager.xml recentservers.xml winscp.ini wpa_supplicant.conf
      .databrickscfg kaggle.json auth.json accesstokens.json kubeconfig *.kubeconfig .config/hub .wgetrc .curlrc
      .cvspass shadow gshadow master.passwd
      {credential,credentials} .{credential,credentials} %{_,-}credentials *credential*.${DATA}
      {secret,secrets} .secret* *.{secret,secrets} %{_,-}{secret,secrets} {secret,secrets}.${DATA}
      *{_,-,.}{secret,secrets}.${DATA} secrets{_,-,.}*.${DATA} *client{_,-}secret*.json
      *service{_,-,}account*.json *firebase-adminsdk*.json rootkey.csv
      {password,passwords,passwd,passphrase} {password,passwords,passwd,passphrase}.${DATA}
      %{_,-}{password,passwords,passwd,passphrase} *{_,-}{password,passwords,passwd,passphrase}.${DATA}
      {token,tokens} .token* *.token token.${DATA} %{_,-}{token,tokens} *{_,-}token.{json,txt}
      *.tfvars *.tfvars.json *.tfstate *.tfstate.* .terraformrc terraform.rc secrets/% secrets/*.${DATA}`,
    folders: `
      .aws .azure .gcloud .kube .docker .oci .bluemix .aliyun .snowsql .pulumi .terraform.d .databricks .kaggle
      .secret .secrets .credentials .password-store .codex .quarry
      .config/{gcloud,gh,glab,op,rclone,doctl,sops,heroku,stripe,git} .subversion/auth .purple`,
  },
  {
    reason: AS_SECRETS,
    detail: 'a store of passwords, or a wallet',
    files: `
      *.{kdb,kdbx,psafe3,1pif,1pux,keychain,keychain-db,kwl,wallet} wallet.dat utc--*
      logins.json logins-backup.json key3.db key4.db signons.sqlite *?passwords.csv
      bitwarden{_,-}export* lastpass*.csv 1password*.csv keepass*.{csv,xml} dashlane*.csv`,
    folders: `
      *.{keychain,agilekeychain,opvault} .keychain .keychains library/keychains share/{keyrings,kwalletd}
      .keybase
      .electrum .bitcoin .ethereum .monero`,
  },
  {
    reason: AS_SECRETS,
    detail: 'a history of commands, which often holds secrets',
    files:
      '.*_history .history .zhistory .histfile consolehost_history.txt fish_history .lesshst .viminfo',
  },
  {
    reason: AS_SECRETS,
    detail: 'settings of an assistant, which hold its API keys',
    files: 'mcp.json* .mcp.json* mcp_config.json* claude_desktop_config.json* .claude.json*',
  },
];

const DEPENDENCIES: Reason = {
  reason: 'left out as dependencies',
  detail: 'packages that a package manager has fetched',
};
const ENVIRONMENT: Reason = {
  reason: 'left out as a virtual environment',
  detail: 'an interpreter and its packages',
};
const CACHE: Reason = {
  reason: 'left out as a cache',
  detail: 'files that a program can make again',
};
const BUILD: Reason = {
  reason: 'left out as build output',
  detail: 'files that a program has made from others',
};

export const OTHERS: readonly LeftOutGroup[] = [
  {
    ...DEPENDENCIES,
    folders: `
      node_modules bower_components jspm_packages web_modules site-packages dist-packages __pypackages__
      *.egg-info *.dist-info .eggs .yarn .pnpm-store .npm .bun .deno .bundle .gem .cargo .rustup .m2 .ivy2 .sbt
      .gradle .nuget .cpan .cpanm .opam .stack .cabal .pub-cache .dart_tool elm-stuff .vcpkg .nvm .pyenv .rbenv
      .asdf .sdkman .conda`,
  },
  { ...ENVIRONMENT, folders: '.venv venv .virtualenv virtualenv .virtualenvs .env' },
  {
    ...CACHE,
    files: '.eslintcache .stylelintcache .phpunit.result.cache *.tsbuildinfo',
    folders: `
      __pycache__ .cache .caches .mypy_cache .pytest_cache .ruff_cache .pytype .hypothesis .tox .nox
      .ipynb_checkpoints .next .nuxt .svelte-kit .angular .astro .vite .parcel-cache .turbo .nx .expo .docusaurus
      .swc .sass-cache .nyc_output .phpunit.cache .terraform .terragrunt-cache .serverless .aws-sam .wrangler
      .vercel .netlify .metals .bloop .kotlin .ccls-cache .clangd .scannerwork .thumbnails _cacache`,
  },
  {
    ...BUILD,
    files: '*.min.{js,mjs,cjs,css} *.{js,mjs,cjs,css}.map *.bundle.js *.chunk.js',
    folders: `
      .build .output .dist .swiftpm deriveddata *.dsym cmake-build-* cmakefiles bazel-{bin,out,testlogs}
      htmlcov lcov-report _site`,
  },
  {
    reason: 'left out as version control',
    detail: 'the history of a repository',
    files: '.git',
    folders: '.git .hg .svn .bzr .jj .sl .pijul _darcs',
  },
  {
    reason: OF_THE_SYSTEM,
    detail: 'files that the operating system or a program keeps for itself',
    files: '.ds_store thumbs.db ehthumbs.db desktop.ini ._* ~$*',
    folders: `
      $recycle.bin .trash .trash-* .trashes .spotlight-v100 .fseventsd .documentrevisions-v100 .temporaryitems
      system?volume?information lost+found .appledouble __macosx @eadir #recycle`,
  },
];

/** A folder with one of these names is left out when one of the files lies beside it. */
export const BY_SIBLINGS: readonly (Reason & {
  readonly folders: string;
  readonly files: string;
})[] = [
  {
    ...BUILD,
    folders: 'build dist out',
    files: `
      package.json tsconfig.json deno.json bower.json gulpfile.js gruntfile.js *.config.{js,mjs,cjs,ts}
      pyproject.toml setup.py setup.cfg pubspec.yaml build.gradle{,.kts} settings.gradle{,.kts} build.xml
      cmakelists.txt meson.build configure.ac makefile *.cabal stack.yaml *.iml`,
  },
  {
    ...BUILD,
    folders: 'target',
    files: 'cargo.toml pom.xml build.sbt project.clj deps.edn dbt_project.yml',
  },
  {
    ...BUILD,
    folders: '_build',
    files: 'conf.py mix.exs rebar.config dune-project makefile',
  },
  { ...BUILD, folders: 'bin obj', files: '*.{csproj,fsproj,vbproj,sln}' },
  { ...BUILD, folders: 'site', files: 'mkdocs.{yml,yaml}' },
  { ...BUILD, folders: 'public', files: 'hugo.{toml,yaml,json} gatsby-config.{js,ts}' },
  { ...BUILD, folders: 'coverage', files: 'package.json pyproject.toml setup.py setup.cfg' },
  { ...DEPENDENCIES, folders: 'vendor', files: 'go.mod composer.json gemfile cargo.toml' },
  { ...DEPENDENCIES, folders: 'deps', files: 'mix.exs rebar.config' },
  { ...DEPENDENCIES, folders: 'pods', files: 'podfile' },
  { ...DEPENDENCIES, folders: 'carthage', files: 'cartfile' },
];

/**
 * A folder that contains a file or folder with one of these names is left out. With `begins`, the file must begin with
 * that text.
 */
export const BY_CONTENTS: readonly (Reason & {
  readonly name: string;
  readonly begins?: string;
})[] = [
  { ...ENVIRONMENT, name: 'pyvenv.cfg' },
  { ...ENVIRONMENT, name: 'conda-meta' },
  {
    ...CACHE,
    name: 'CACHEDIR.TAG',
    begins: 'Signature: 8a477f597d28d172789f06886806bc55',
  },
];
