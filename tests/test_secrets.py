"""Secrets are masked in whatever form they stand in a text; what is none stays."""

from __future__ import annotations

import time

import pytest

from mprof.io.secrets import mask_command, mask_text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("-Xmx1g -Ddb.password='s3c r3t' -Dx=1", "-Xmx1g -Ddb.password='***' -Dx=1"),
        ('-Ddb.password="s3c\\"r3t" -Dx=1', '-Ddb.password="***" -Dx=1'),
        ("-Ddb.password='s3cr3t", "-Ddb.password=***"),  # a text that was cut off
        ("'-Ddb.password=s3cr3t' in", "'-Ddb.password=***' in"),
        ('sh -c "x -Dpassword=s3cr3t"', 'sh -c "x -Dpassword=***"'),
        ("-Dpassword=s3'cr3t -Dx=1", "-Dpassword=*** -Dx=1"),
        ('{"user":"me","password":"s3cr3t","x":1}', '{"user":"me","password":"***","x":1}'),
        ("{'db.token' : 's3,cr3t'}", "{'db.token' : '***'}"),
        ('{"token":123,"x":1}', '{"token":***,"x":1}'),
        (r'"{\"password\":\"s3cr3t\",\"x\":1}"', r'"{\"password\":\"***\",\"x\":1}"'),
        (r'"opts=\"-Dpassword=s3cr3t\", x"', r'"opts=\"-Dpassword=***\", x"'),
        ("sqoop --password s3cr3t --table x", "sqoop --password *** --table x"),
        ("sh -c 'sqoop --password s3cr3t'", "sh -c 'sqoop --password ***'"),
        ('sqoop -db-token "s3c r3t" x', 'sqoop -db-token "***" x'),
        ('["--password","s3cr3t","x"]', '["--password","***","x"]'),
        ("[--password, s3cr3t, x]", "[--password, ***, x]"),
        ("jdbc:oracle:thin:scott/tiger@//h:1521/x", "jdbc:oracle:thin:scott/***@//h:1521/x"),
        ('jdbc:oracle:oci:scott/"ti@ger"@h', 'jdbc:oracle:oci:scott/"***"@h'),
        ("https://h/c?sv=1&sig=a%3D&se=2", "https://h/c?sv=1&sig=***&se=2"),
        ("https://h/c?sig=a%3D", "https://h/c?sig=***"),
        ("https://b/c?X-Amz-Signature=ab", "https://b/c?X-Amz-Signature=***"),
        ("-Dfs.azure.sas.c.a.blob.net=?sv=1&se=2", "-Dfs.azure.sas.c.a.blob.net=***&se=2"),
        ("curl -u me:pw http://h/x", "curl -u me:*** http://h/x"),
        ("curl --user 'me:p w' http://h/x", "curl --user 'me:***' http://h/x"),
        ("password=a,bsecret x", "password=*** x"),
        ("password=ab&csecret x", "password=*** x"),
        ("password=ab;csecret,y=1", "password=***,y=1"),
        ("jdbc:mysql://h/d?password=ab&ssl=1", "jdbc:mysql://h/d?password=***&ssl=1"),
        ("jdbc:hive2://h/d;pwd=ab;ssl=true;", "jdbc:hive2://h/d;pwd=***;ssl=true;"),
        ("sqoop --pass s3cr3t --table x", "sqoop --pass *** --table x"),
        ("keytool -storepass s3cr3t -keypass 'a b'", "keytool -storepass *** -keypass '***'"),
        ("-Ddb.pass=s3cr3t -Dx=1", "-Ddb.pass=*** -Dx=1"),
        ("-DdbPass=s3cr3t -Dldap.bindpass=s3cr3t", "-DdbPass=*** -Dldap.bindpass=***"),
        ('{"pass":"s3cr3t","x":1}', '{"pass":"***","x":1}'),
        ("curl -H 'Authorization: Bearer ab.c-d' u", "curl -H 'Authorization: Bearer ***' u"),
        ('curl -H "authorization:Basic YTpi=" u', 'curl -H "authorization:Basic ***" u'),
        ("Authorization: abc\nAccept: x", "Authorization: ***\nAccept: x"),
        ('{"Authorization":"Bearer a.b","x":1}', '{"Authorization":"Bearer ***","x":1}'),
        (r'"{\"Authorization\": \"Bearer a.b\"}"', r'"{\"Authorization\": \"Bearer ***\"}"'),
        ('Authorization: Digest a="b", response="c"\nx', "Authorization: Digest ***\nx"),
        ("-Dhttp.authorization='Bearer a.b' in", "-Dhttp.authorization='Bearer ***' in"),
        ("curl -H 'X-Auth-Token: a b' u", "curl -H 'X-Auth-Token: ***' u"),
        ("curl -H 'X-Api-Key:ab' u", "curl -H 'X-Api-Key:***' u"),
        ("curl -H 'Cookie: hadoop.auth=a; b=c' u", "curl -H 'Cookie: ***' u"),
        ("curl --oauth2-bearer a.b u", "curl --oauth2-bearer *** u"),
        ("sends Bearer eyJhbGciOiJIUzI1NiJ9.eyJz.sig", "sends Bearer ***"),
        ("beeline -u 'jdbc:hive2://h/d;ssl=1' -n me -p ab -e x",
         "beeline -u 'jdbc:hive2://h/d;ssl=1' -n me -p *** -e x"),
    ],
)  # fmt: skip
def test_a_secret_in_a_text_is_masked_whole(text: str, masked: str) -> None:
    assert mask_text(text) == masked
    assert mask_text(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "-Xmx1g -XX:+UseSerialGC -Dpass.through=1 -Dbypass=2 -Dsignal=3",
        "-Dcom.sas.hadoop.mode=1 -Dlucene.tokenizer=standard",
        '{"tokenizer":"standard","signature":"()V"}',
        "beeline -u jdbc:hive2://h:10000/db -n me",
        "beeline -u 'jdbc:hive2://h:10000/db' -n me",
        "x -u hdfs://h:9000/in",
        "hdfs://host:9000/in me@host.example hive/_HOST@REALM",
        "x?sigma=1&design=2",
        "--password-file -v in",
        "the password is wrong: try again",
        "--two-pass true --bypass x -Dmulti.pass=2 --compass north -Dpass.through=1",
        "hadoop.security.authorization=true",
        "the bearer of this, Bearer of news; authorization failed",
        "hdfs dfs -mkdir -p /in",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize(
    ("command", "masked"),
    [
        (["curl", "-u", "me:p w", "x"], ("curl", "-u", "me:***", "x")),
        (["beeline", "-u", "jdbc:hive2://h/d"], ("beeline", "-u", "jdbc:hive2://h/d")),
        (["-Dfs.azure.sas.c.a=?sv=1&sig=x"], ("-Dfs.azure.sas.c.a=***",)),
        (['{"password":"x","q":"a=b"}'], ('{"password":"***","q":"a=b"}',)),
        (["--password x --token=y"], ("--password *** --token=***",)),
        (["https://h/c?sig=x&sv=1"], ("https://h/c?sig=***&sv=1",)),
        (["x", "--pass", "a b", "-Ddb.pass=a b"], ("x", "--pass", "***", "-Ddb.pass=***")),
        (["curl", "-H", "Authorization: Bearer x y"], ("curl", "-H", "Authorization: Bearer ***")),
        (["/bin/beeline", "-n", "me", "-p", "x"], ("/bin/beeline", "-n", "me", "-p", "***")),
        (["hdfs", "dfs", "-mkdir", "-p", "x"], ("hdfs", "dfs", "-mkdir", "-p", "x")),
    ],
)
def test_a_secret_in_a_word_of_a_command_is_masked(
    command: list[str], masked: tuple[str, ...]
) -> None:
    assert mask_command(command) == masked


@pytest.mark.parametrize(
    "text",
    [
        "password='" * 12_500,
        "password=\\'" * 12_500 + "password=\"",
        "password=" + "\\" * 125_000,
        "password=" + ",a" * 62_500,
        "password=" + ",aaaaaaaaaaaaaaaaaaaa" * 6_250,
        '"password" ' * 12_500,
        "--" + "token" * 25_000 + "!",
        " -token" * 17_500,
        " -" + "-token" * 20_000,
        " -u " * 25_000,
        " -u a:" * 20_000,
        "-u 'a:" * 20_000,
        "jdbc:oracle:thin:" * 7_500,
        "jdbc:oracle:thin:a/\"" * 6_250,
        "-" * 125_000,
        "'" * 125_000,
        "\\" * 125_000,
        " " * 125_000,
        "token =" + " " * 125_000,
        "&sig" * 25_000,
        "://a:" * 25_000,
        "Authorization: " * 8_000,
        "Authorization: 'Bearer " * 5_000,
        "Authorization=Bearer " * 6_000,
        "authorization:=\"" * 7_000,
        "x-" * 60_000,
        "x-token:" * 15_000,
        "Bearer " * 18_000,
        "Bearer" + " " * 125_000,
        "beeline " * 15_000,
        "-pass" * 25_000,
        "cookie:" + "=\"" * 60_000,
    ],
)  # fmt: skip
def test_hostile_text_is_searched_in_linear_time(text: str) -> None:
    started = time.process_time()

    mask_text(text)
    mask_command([text, text])

    assert time.process_time() - started < 5  # quadratic: a minute or more
