"""A Slurm with accounting: slurmdbd and a MariaDB of its own, in the cluster's temporary directory, on loopback.

usage: accounting.py, to look at one by hand: it prints SLURM_CONF, and ends with its standard input.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "slurm"))
import cluster

PROGRAMS = {"slurmdbd": "slurmdbd", "mariadbd": "mariadb-server-core", "mariadb-install-db": "mariadb-server-core"}
USER = "slurm"
SUBMIT_LUA = """function slurm_job_submit() return slurm.SUCCESS end
slurm_job_modify = slurm_job_submit
return slurm.SUCCESS
"""
SLURM_CONF = """AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={port}
AccountingStoragePass={directory}/munge.socket
AccountingStoreFlags=job_comment"""
SLURMDBD_CONF = """AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser=root
LogFile={directory}/slurmdbd.log
PidFile={directory}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database_port}
StorageUser={user}
StoragePass={user}
StorageLoc=slurm_acct
"""


def missing() -> list[str]:
    lacking = {package for program, package in PROGRAMS.items() if not shutil.which(program, path=cluster.PATH)}
    return [*cluster.missing(), *sorted(lacking)]


class Accounted(cluster.Cluster):
    """Beside another kind of cluster, whose arguments it takes."""

    def __init__(self, *given, **settings):
        port, self.database_port = cluster.free_ports(2)
        super().__init__(*given, **settings)
        values = {"port": port, "database_port": self.database_port, "directory": self.directory, "user": USER}
        self.accounting = SLURM_CONF.format(**values)
        if not (self.directory / "job_submit.lua").exists():
            (self.directory / "job_submit.lua").write_text(SUBMIT_LUA)
        configuration = self.directory / "slurmdbd.conf"
        configuration.write_text(SLURMDBD_CONF.format(**values))
        configuration.chmod(0o600)

    def sql(self, text: str) -> subprocess.CompletedProcess:
        words = ["mariadb", "--no-defaults", f"--socket={self.directory}/mysql.socket", "--user=root"]
        words += [f"--execute={text}"]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def start_database(self):
        own = self.directory
        self.launch(
            "mariadbd", "--no-defaults", f"--datadir={own}/mysql", f"--socket={own}/mysql.socket", "--user=root",
            f"--port={self.database_port}", "--bind-address=127.0.0.1", f"--pid-file={own}/mysql.pid",
            "--innodb-buffer-pool-size=64M", "--innodb-lock-wait-timeout=900", "--max-connections=200",
            "--innodb-flush-log-at-trx-commit=2",
        )  # fmt: skip
        self.poll_daemon("mariadbd", lambda: self.sql("select 1").returncode == 0)

    def make_database(self):
        words = ["mariadb-install-db", "--no-defaults", f"--datadir={self.directory}/mysql", "--user=root"]
        words += ["--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run(words, capture_output=True, check=True)
        self.start_database()
        for host in ("localhost", "127.0.0.1"):
            user = f"'{USER}'@'{host}'"
            self.sql(f"create user {user} identified by '{USER}'; grant all on slurm_acct.* to {user}")

    def start_controller(self):
        self.make_database()
        self.launch("slurmdbd", "-D")
        self.poll_daemon("slurmdbd", lambda: self.command("sacctmgr", "show", "tres", check=False).returncode == 0)
        super().start_controller()


def main():
    with Accounted() as site:
        site.start()
        print(json.dumps({"SLURM_CONF": site.environment["SLURM_CONF"]}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
