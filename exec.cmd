@rem `exec` of the shells that npm uses elsewhere, for the scripts of package.json.
@%*
